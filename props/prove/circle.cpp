#include "prove/circle.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ronde::prove {
namespace {

using Step = std::uint32_t;

/// Steps are numbered node by node, part by part: own lines, then the other's, then "the connection stands"; behind
/// all parts of a rank its ready.
class Graph {
public:
    Graph(Shape const& shape, std::vector<Conversation> const& all, std::span<Findings const* const> findings)
        : shape_(shape), findings_(findings), ends_(all.size()) {
        for (Node node = 0; node < shape.nodes(); ++node) {
            parts_.push_back(parts_of(all, node));
            std::vector<Step>& first = first_.emplace_back();
            for (std::uint32_t number = 0; number < parts_[node].size(); ++number) {
                Part const& part = parts_[node][number];
                first.push_back(steps_);
                steps_ += static_cast<Step>(part.mine.size() + part.theirs.size()) + 1U;
                ends_[part.conversation][part.calls ? 0 : 1] = {node, number};
            }
            ready_.push_back(steps_++);
        }
        owner_.reserve(steps_);
        for (Node node = 0; node < shape.nodes(); ++node)
            owner_.resize(ready_[node] + std::size_t{1}, node);
    }

    [[nodiscard]] Step steps() const { return steps_; }
    [[nodiscard]] Step ready(Node node) const { return ready_[node]; }
    [[nodiscard]] std::vector<Part> const& parts(Node node) const { return parts_[node]; }
    [[nodiscard]] Node owner(Step step) const { return owner_[step]; }

    struct Place {
        Node node = 0;
        std::uint32_t part = 0;
        std::uint32_t line = 0;
        enum class Kind : std::uint8_t { say, hear, stands, ready } kind = Kind::ready;
    };
    [[nodiscard]] Place place(Step step) const {
        Place at;
        at.node = owner_[step];
        if (step == ready_[at.node])
            return at;
        std::vector<Step> const& first = first_[at.node];
        at.part = static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), step) - first.begin()) - 1U;
        at.line = step - first[at.part];
        Part const& part = parts_[at.node][at.part];
        at.kind = Place::Kind::say;
        if (at.line >= part.mine.size()) {
            at.line -= static_cast<std::uint32_t>(part.mine.size());
            at.kind = at.line < part.theirs.size() ? Place::Kind::hear : Place::Kind::stands;
        }
        return at;
    }

    /// `visit(other, is_message)` for each step that this one needs.
    template <class Visit>
    void for_needs(Step step, Visit const& visit) const {
        Place const at = place(step);
        Findings const& known = *findings_[at.node];
        switch (at.kind) {
        case Place::Kind::ready:
            if (!shape_.is_root(at.node))
                needs(at, known.to_be_ready, visit);
            return;
        case Place::Kind::stands: visit(first_[at.node][at.part], false); return;
        case Place::Kind::say:
            if (at.line > 0)
                visit(step - 1U, false);
            return needs(at, known.to_say[at.part][at.line], visit);
        case Place::Kind::hear: break;
        }
        Part const& part = parts_[at.node][at.part];
        auto const [other, other_part] = ends_[part.conversation][part.calls ? 1 : 0];
        visit(first_[other][other_part] + at.line, true);
        needs(at, known.to_hear[at.part][at.line], visit);
    }

    [[nodiscard]] std::string words_for(Step step) const {
        Place const at = place(step);
        std::string const who = shape_.name_of(at.node);
        if (at.kind == Place::Kind::ready)
            return who + " is ready";
        Part const& part = parts_[at.node][at.part];
        std::string const whom = shape_.name_of(part.other);
        switch (at.kind) {
        case Place::Kind::say: return fmt::format("{} says {} to {}", who, prove::words_for(part.mine[at.line]), whom);
        case Place::Kind::hear:
            return fmt::format("{} hears {} of {}", who, prove::words_for(part.theirs[at.line]), whom);
        default: return fmt::format("{} is connected to {}", who, whom);
        }
    }

private:
    template <class Visit>
    void needs(Place const& at, Needs const& needed, Visit const& visit) const {
        std::vector<Part> const& parts = parts_[at.node];
        for (std::uint32_t number = 0; number < parts.size(); ++number) {
            auto const mine = static_cast<Step>(parts[number].mine.size());
            if (needed[number] > 0)
                visit(first_[at.node][number] + mine + needed[number] - 1U, false);
            if (needed[parts.size() + number] > 0)
                visit(first_[at.node][number] + mine + static_cast<Step>(parts[number].theirs.size()), false);
        }
    }

    struct Half {
        Node node = 0;
        std::uint32_t part = 0;
    };
    Shape const& shape_;
    std::span<Findings const* const> findings_;
    std::vector<std::array<Half, 2>> ends_;  ///< by conversation: the caller's part and the callee's
    std::vector<std::vector<Part>> parts_;
    std::vector<std::vector<Step>> first_;  ///< by node and part
    std::vector<Step> ready_;               ///< by node; a root's needs nothing
    std::vector<Node> owner_;               ///< by step
    Step steps_ = 0;
};

/// Depth first, without recursion: chains are as long as rings are.
class Walk {
public:
    explicit Walk(Graph const& graph) : graph_(graph), depth_(graph.steps(), kNew) {}

    /// The number of messages before `step` and with it. Fills broken() when a step needs itself.
    void from(Step step) {
        push(step);
        while (!path_.empty() && broken_.empty()) {
            Frame& top = path_.back();
            if (top.next == top.needs.size()) {
                depth_[top.step] = top.depth;
                deepest_ = std::max(deepest_, top.depth);
                path_.pop_back();
                continue;
            }
            auto const [needed, message] = top.needs[top.next];
            if (depth_[needed] == kOpen)
                return circle(needed);
            if (depth_[needed] == kNew) {
                push(needed);
                continue;
            }
            top.depth = std::max(top.depth, depth_[needed] + (message ? 1U : 0U));
            ++top.next;
        }
    }
    [[nodiscard]] std::uint32_t deepest() const { return deepest_; }
    [[nodiscard]] std::string const& broken() const { return broken_; }

private:
    static constexpr std::uint32_t kNew = 0xffff'ffffU;
    static constexpr std::uint32_t kOpen = 0xffff'fffeU;
    struct Frame {
        Step step = 0;
        std::uint32_t depth = 0;
        std::size_t next = 0;
        std::vector<std::pair<Step, bool>> needs;
    };

    void push(Step step) {
        if (depth_[step] != kNew)
            return;
        depth_[step] = kOpen;
        Frame& frame = path_.emplace_back();
        frame.step = step;
        graph_.for_needs(step, [&](Step needed, bool message) { frame.needs.emplace_back(needed, message); });
    }
    void circle(Step again) {
        broken_ = "waits in a circle: " + graph_.words_for(again);
        for (std::size_t i = path_.size(); i-- > 0 && path_[i].step != again;)
            broken_ += " <- " + graph_.words_for(path_[i].step);
    }

    Graph const& graph_;
    std::vector<std::uint32_t> depth_;
    std::vector<Frame> path_;
    std::uint32_t deepest_ = 0;
    std::string broken_;
};

/// Whether `rank`'s ready needs everybody's word that it holds the table and both hands [S3].
std::string too_early(Shape const& shape, Graph const& graph, Node rank) {
    std::vector<bool> seen(graph.steps());
    std::vector<bool> vouched(shape.nranks);
    std::vector<Step> waiting{graph.ready(rank)};
    seen[waiting.front()] = true;
    while (!waiting.empty()) {
        Step const step = waiting.back();
        waiting.pop_back();
        auto const at = graph.place(step);
        bool const rank_says = at.kind == Graph::Place::Kind::say && !shape.is_root(at.node);
        if (rank_says && graph.parts(at.node)[at.part].mine[at.line].vouches)
            vouched[at.node] = true;
        graph.for_needs(step, [&](Step needed, bool) {
            if (!seen[needed])
                waiting.push_back(needed);
            seen[needed] = true;
        });
    }
    vouched[rank] = true;  // its own ready was held against table and hands
    auto const missing = std::find(vouched.begin(), vouched.end(), false);
    if (missing == vouched.end())
        return {};
    return fmt::format("rank {} may be ready before rank {} has said that it holds the table and both hands [S3]", rank,
                       missing - vouched.begin());
}

}  // namespace

Circle close_circle(Shape const& shape, std::vector<Conversation> const& all,
                    std::span<Findings const* const> findings) {
    Graph const graph(shape, all, findings);
    Circle circle;
    circle.steps = graph.steps();
    Walk walk(graph);
    for (Step step = 0; step < graph.steps() && walk.broken().empty(); ++step)
        walk.from(step);
    circle.longest_chain = walk.deepest();
    circle.broken = walk.broken();
    bool const promised = shape.policies.commit != protocol::Commit::none;
    // Some sixteen of a large job show a rule that depends on the number; small jobs are looked at as a whole.
    std::uint32_t const stride = shape.nranks <= 64 ? 1U : shape.nranks / 16U;
    for (Node rank = 0; promised && circle.broken.empty() && rank < shape.nranks; rank += stride)
        circle.broken = too_early(shape, graph, rank);
    return circle;
}

}  // namespace ronde::prove

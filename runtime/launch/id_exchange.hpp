/// How the ranks of one job on one host agree on an id without asking their launcher: over a file.
///
/// Rank 0 offers the id's text in a file named after the job; the others wait until it is there. The file is private
/// (0600 in a private folder) and appears in one step. It names its writer (process id, start time, boot): a file whose
/// writer is gone is stale, is ignored by readers and replaced by the next writer.
#pragma once

#include "launch/environment.hpp"
#include "protocol/units.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ronde::launch {

/// A process beyond doubt: process ids are used again, start times tell them apart.
struct ProcessMark {
    std::uint32_t process_id = 0;
    std::uint64_t start_ticks = 0;    ///< since boot, /proc/<pid>/stat field 22
    std::uint64_t pid_namespace = 0;  ///< inode of /proc/<pid>/ns/pid
    friend bool operator==(ProcessMark const&, ProcessMark const&) = default;
};
/// Nothing when no such process is visible.
[[nodiscard]] std::optional<ProcessMark> mark_of(std::uint32_t process_id);

/// A file name for the job: hash of launcher, job and user. Where the launcher names no job, its process (the parent
/// of this one) takes that part, which needs the launcher to start the ranks directly. `round` tells apart several
/// bootstraps of one job.
[[nodiscard]] std::string exchange_key(JobPlace const& place, std::uint32_t round = 0);

/// $XDG_RUNTIME_DIR/ronde, else $TMPDIR/ronde-<uid>, else /tmp/ronde-<uid>: created with mode 0700. An existing folder
/// that belongs to somebody else or that others may write to is an error.
[[nodiscard]] tl::expected<std::string, std::string> exchange_folder(Variables const& variables);

/// Rank 0's side. The file goes when this object goes; call withdraw() as soon as every rank has checked in, before
/// any rank can be ready: the job's next bootstrap may then use the key again at once.
class IdOffer {
public:
    /// Fails when a living process offers under the same key (two jobs that believe to be one).
    [[nodiscard]] static tl::expected<IdOffer, std::string> make(std::string const& folder, std::string const& key,
                                                                 std::string_view id_text);
    IdOffer(IdOffer&& other) noexcept;
    IdOffer& operator=(IdOffer&& other) noexcept;
    IdOffer(IdOffer const&) = delete;
    IdOffer& operator=(IdOffer const&) = delete;
    ~IdOffer();

    void withdraw() noexcept;
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    IdOffer(std::string path, std::uint64_t inode, int owner) : path_(std::move(path)), inode_(inode), owner_(owner) {}
    std::string path_;
    std::uint64_t inode_ = 0;  ///< only the file that this object wrote is ever removed
    int owner_ = 0;            ///< process id; a forked copy of this object removes nothing
};

/// The others' side: waits until rank 0's offer is there, asleep (inotify, or a look every few milliseconds when the
/// user has no watches left), at most `budget_ns`. `not_this` is an id text to ignore: that of a former round.
/// The error says what was waited for, how long, and whether a stale file was seen.
[[nodiscard]] tl::expected<std::string, std::string>
await_id(std::string const& folder, std::string const& key, protocol::TimeNs budget_ns, std::string_view not_this = {});

/// For an id that is handed out as a file: waits, asleep as await_id() does, until there is a file with something in it
/// at `path`, at most `budget_ns`. `on_wait` is called once if it is not there at the first look. False when time ran
/// out; what else may be wrong with the file is the reader's to say. A file that is not written in one step, as
/// UniqueId::write_file does it, may still be read half.
[[nodiscard]] bool await_file(std::string const& path, protocol::TimeNs budget_ns,
                              std::function<void()> const& on_wait = {});

}  // namespace ronde::launch

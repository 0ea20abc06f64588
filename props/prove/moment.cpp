#include "prove/moment.hpp"

namespace ronde::prove {
namespace {

template <class Value>
void append(std::string& bytes, Value const* values, std::size_t count) {
    bytes.append(reinterpret_cast<char const*>(values), count * sizeof(Value));
}

}  // namespace

std::string Moment::bytes() const {
    std::string all;
    append(all, machine.data(), machine.size());
    append(all, said.data(), said.size());
    append(all, heard.data(), heard.size());
    append(all, stands.data(), stands.size());
    append(all, known.data(), known.size());
    append(all, doors.data(), doors.size());
    append(all, credits.data(), credits.size());
    append(all, &ready, 1);
    append(all, &finished, 1);
    append(all, &calling, 1);
    append(all, &now_ns, 1);
    return all;
}

}  // namespace ronde::prove

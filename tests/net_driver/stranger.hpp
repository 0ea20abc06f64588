/// People at the door who do not belong to the job.
#pragma once

#include "net/endpoint.hpp"
#include "net/fd.hpp"
#include "protocol/frame.hpp"

#include <string>
#include <vector>

namespace ronde::net::test {

enum class Stranger { silent, garbage, http, half_hello, reset, fin, other_job, forged_proof, one_byte };

[[nodiscard]] std::vector<Stranger> all_strangers();
[[nodiscard]] char const* name_of(Stranger stranger);

/// Connects (blocking) and behaves. The descriptor stays open in the result, unless the kind is to leave.
/// `hello`: what a member would say there, for those that imitate one.
[[nodiscard]] Fd knock(Endpoint const& door, Stranger stranger, protocol::Frame const& hello);

/// A blocking connection that has said nothing.
[[nodiscard]] Fd call(Endpoint const& door);
/// The bytes of a frame and its payload.
[[nodiscard]] std::vector<std::byte> bytes_of(protocol::Frame const& frame, std::size_t payload_bytes);
/// Waits until the peer ends the connection; returns the number of bytes it said before.
std::size_t read_until_end(Fd const& fd);

}  // namespace ronde::net::test

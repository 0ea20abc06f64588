#include "net/host_identity.hpp"

#include "net/fd.hpp"
#include "net/interfaces.hpp"

#include <xxhash.h>

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace ronde::net {

namespace {

std::string read_boot_id() {
    Fd const fd(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (!fd)
        return {};
    char text[64];
    ssize_t const got = ::read(fd.get(), text, sizeof text);
    if (got <= 0)
        return {};
    std::string result(text, static_cast<std::size_t>(got));
    while (!result.empty() && result.back() == '\n')
        result.pop_back();
    return result;
}

}  // namespace

std::uint64_t host_id_of(HostIdentity const& identity) noexcept {
    // Seeds keep an override from ever equalling a host name with an empty boot id.
    XXH64_hash_t hash = 0;
    if (!identity.override_id.empty()) {
        hash = XXH64(identity.override_id.data(), identity.override_id.size(), 2);
    } else {
        // The name goes in as the seed of the boot id, so that no concatenation of the two can look like another.
        hash = XXH64(identity.host_name.data(), identity.host_name.size(), 1);
        hash = XXH64(identity.boot_id.data(), identity.boot_id.size(), hash);
    }
    return hash == 0 ? 1 : hash;
}

HostIdentity this_host() {
    HostIdentity identity;
    utsname names{};
    if (::uname(&names) == 0)
        identity.host_name = names.nodename;
    identity.boot_id = read_boot_id();
    for (char const* const name : {"RONDE_HOSTID", "NCCL_HOSTID"}) {
        if (!identity.override_id.empty())
            break;
        identity.override_id = environment_variable(name).value_or("");
    }
    return identity;
}

}  // namespace ronde::net

/// Flight recordings of the machine as it is, for the layer that feeds them to one with a fault.
#pragma once

#include <string>

namespace ronde::mutants {

/// A folder of recordings below the system's place for such; removed at the end. Made by the machine as it is, so no
/// mutant may be awake. Throws std::runtime_error when nothing can be recorded, or a job did not end as it should.
class Recordings {
public:
    Recordings();
    ~Recordings();
    Recordings(Recordings const&) = delete;
    Recordings& operator=(Recordings const&) = delete;
    Recordings(Recordings&&) = delete;
    Recordings& operator=(Recordings&&) = delete;

    /// One folder below it for each loopback trial, in their order: "00", "01", ...
    [[nodiscard]] std::string const& path() const noexcept { return path_; }
    [[nodiscard]] static std::string name_of(std::size_t trial);

private:
    std::string path_;
};

}  // namespace ronde::mutants

/// What of a real run goes into its folder, and the picture that a failure leaves.
#pragma once

#include "cli/run_folder.hpp"
#include "cli/run_options.hpp"
#include "cli/run_report.hpp"

#include <memory>
#include <string>

namespace ronde::cli {

/// The folder of a real run, made before its ranks so that they can record into it.
class KeptRun {
public:
    /// Without --out nothing is kept. Lets `options` record into the folder, unless --record says where. `nranks`: of
    /// the job. Throws UsageError and LauncherError.
    KeptRun(RunOptions& options, std::uint32_t nranks);

    /// Without a folder: draws the ring of a failed run. Returns its path, or nothing.
    std::string draw_failure(RunFacts const& facts, RunReport const& report) const;
    /// `json`: the report; `facts` and `report` may be missing (nullptr) where nobody knows them. Completes the folder.
    /// Returns the path of the picture in it, or nothing.
    std::string finish(std::string_view headline, std::string const& json, RunFacts const* facts,
                       RunReport const* report) const;

private:
    RunOptions const& options_;
    std::string recordings_;  ///< in the folder; empty: elsewhere
    std::unique_ptr<RunFolder> folder_;
};

}  // namespace ronde::cli

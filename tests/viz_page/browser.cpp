#include "viz_page/browser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <curl/curl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): more than C has
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace ronde::viz::pages {
namespace {

std::string pictures;

bool in_path(std::string const& program) {
    std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + program).c_str(), X_OK) == 0)
            return true;
    }
    return false;
}

std::size_t append(char const* bytes, std::size_t size, std::size_t count, void* text) {
    static_cast<std::string*>(text)->append(bytes, size * count);
    return size * count;
}

std::string from_base64(std::string const& text) {
    std::string bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (char const c : text) {
        static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::size_t const digit = kDigits.find(c);
        if (digit == std::string_view::npos)
            break;
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>(bits >> held & 0xffU);
        }
    }
    return bytes;
}

}  // namespace

/// The process of chromedriver, on a port of its own choice, a connection to it, and a session: a browser that it runs.
struct Browser::Program {
    Program() : curl(::curl_easy_init()) {
        // The port that it is given for IPv4 must be free for IPv6 too, or it leaves: another try gets another port.
        for (int tries = 0; tries < 20 && port == 0; ++tries) {
            end_driver();
            begin_driver();
        }
        if (port == 0)
            throw std::runtime_error("chromedriver did not start");
        // A sandbox within a container or for root is not to be had.
        Json const options = {{"args",
                               {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                "--hide-scrollbars", "--force-device-scale-factor=1", "--window-size=1280,900"}}};
        Json const wanted = {
            {"browserName", "chrome"}, {"goog:chromeOptions", options}, {"goog:loggingPrefs", {{"browser", "ALL"}}}};
        Json const begun = command("POST", "/session", {{"capabilities", {{"alwaysMatch", wanted}}}});
        session = "/session/" + begun.at("sessionId").get<std::string>();
    }
    ~Program() {
        try {
            command("DELETE", session, Json::object());
        } catch (std::exception const& error) {
            ADD_FAILURE() << "the browser did not end: " << error.what();
        }
        ::curl_easy_cleanup(curl);
        end_driver();
    }
    Program(Program const&) = delete;
    Program& operator=(Program const&) = delete;

    Json command(char const* method, std::string const& path, Json const& body) const;
    void begin_driver() {
        int ends[2] = {-1, -1};
        if (::pipe(ends) != 0)
            throw std::runtime_error("no pipe for chromedriver");
        child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            ::execlp("chromedriver", "chromedriver", "--port=0", static_cast<char*>(nullptr));
            ::_exit(127);
        }
        ::close(ends[1]);
        output = ::fdopen(ends[0], "r");
        char line[1024];
        while (port == 0 && std::fgets(line, sizeof line, output) != nullptr)
            std::sscanf(line, "ChromeDriver was started successfully on port %d", &port);
    }
    void end_driver() {
        if (child > 0) {
            ::kill(child, SIGTERM);
            ::waitpid(child, nullptr, 0);
        }
        if (output != nullptr)
            std::fclose(output);
        child = -1;
        output = nullptr;
    }

    pid_t child = -1;
    int port = 0;
    std::FILE* output = nullptr;
    CURL* curl = nullptr;
    std::string session;  ///< path
};

namespace {

/// Runs from the first window to the end of all tests.
class SharedProgram final : public testing::Environment {
public:
    void TearDown() override { program_.reset(); }
    Browser::Program& get() {
        if (program_ == nullptr)
            program_ = std::make_unique<Browser::Program>();
        return *program_;
    }

private:
    std::unique_ptr<Browser::Program> program_;
};

SharedProgram* shared_program = nullptr;  // GoogleTest owns it

}  // namespace

bool Browser::installed() { return in_path("chromedriver") && in_path("chromium"); }

Browser::Browser() : program_(shared_program->get()) {
    no_window_ = command("GET", "/window").get<std::string>();
    Json const window = command("POST", "/window/new", {{"type", "window"}});
    command("POST", "/window", {{"handle", window.at("handle")}});
    std::ignore = complaints();  // those of windows before this one
    std::string folder = (std::filesystem::temp_directory_path() / "ronde-page-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr)
        throw std::runtime_error("cannot make " + folder);
    page_ = std::filesystem::path(folder) / "page.html";
}

Browser::~Browser() {
    try {
        command("DELETE", "/window");
        command("POST", "/window", {{"handle", no_window_}});
    } catch (std::exception const& error) {
        ADD_FAILURE() << "the window did not close: " << error.what();
    }
    std::error_code ignored;
    std::filesystem::remove_all(page_.parent_path(), ignored);
}

Json Browser::Program::command(char const* method, std::string const& path, Json const& body) const {
    std::string const url = fmt::format("http://127.0.0.1:{}{}", port, path);
    std::string const sent = body.dump();
    std::string answer;
    ::curl_easy_reset(curl);
    ::curl_slist* const headers = ::curl_slist_append(nullptr, "Content-Type: application/json");
    ::curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    ::curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    ::curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    ::curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
    ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append);
    ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (std::string_view(method) == "POST")
        ::curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent.c_str());
    CURLcode const status = ::curl_easy_perform(curl);
    ::curl_slist_free_all(headers);
    if (status != CURLE_OK)
        throw std::runtime_error(fmt::format("{} {}: {}", method, path, ::curl_easy_strerror(status)));
    Json const value = Json::parse(answer).at("value");
    if (value.is_object() && value.contains("error"))
        throw std::runtime_error(fmt::format("{} {} {}: {}", method, path, sent.substr(0, 200),
                                             value.at("message").get<std::string>().substr(0, 500)));
    return value;
}

Json Browser::command(char const* method, std::string const& path, Json const& body) {
    return program_.command(method, program_.session + path, body);
}

Json Browser::devtools(std::string const& name, Json const& parameters) {
    return command("POST", "/goog/cdp/execute", {{"cmd", name}, {"params", parameters}});
}

void Browser::open(std::string const& html) {
    std::ofstream(page_, std::ios::binary) << html;
    command("POST", "/url", {{"url", "file://" + page_.string()}});
}

void Browser::reload() { command("POST", "/refresh"); }

Json Browser::run(std::string const& script, Json const& arguments) {
    return command("POST", "/execute/sync", {{"script", script}, {"args", arguments}});
}

std::string Browser::element(std::string const& css) {
    Json const found = command("POST", "/element", {{"using", "css selector"}, {"value", css}});
    return "/element/" + found.begin().value().get<std::string>();
}

void Browser::click(std::string const& css) { command("POST", element(css) + "/click"); }

void Browser::press(std::string const& key) {
    // Keys that have no letter have places of their own in Unicode.
    static std::map<std::string, std::string> const kKeys = {
        {"Tab", "\uE004"},      {"End", "\uE010"},        {"Home", "\uE011"},      {"ArrowLeft", "\uE012"},
        {"ArrowUp", "\uE013"},  {"ArrowRight", "\uE014"}, {"ArrowDown", "\uE015"}, {"PageUp", "\uE00E"},
        {"PageDown", "\uE00F"}, {"Enter", "\uE007"},      {"Space", " "}};
    Json const down = {{"type", "keyDown"}, {"value", kKeys.at(key)}};
    Json const up = {{"type", "keyUp"}, {"value", kKeys.at(key)}};
    Json const keyboard = {{"type", "key"}, {"id", "keyboard"}, {"actions", Json::array({down, up})}};
    command("POST", "/actions", {{"actions", Json::array({keyboard})}});
}

void Browser::choose(std::string const& css_of_select, std::string const& text) {
    command("POST", element(css_of_select) + "/value", {{"text", text}});
}

std::string Browser::label_of(std::string const& css) {
    return command("GET", element(css) + "/computedlabel").get<std::string>();
}

std::string Browser::role_of(std::string const& css) {
    return command("GET", element(css) + "/computedrole").get<std::string>();
}

void Browser::resize(int width, int height) {
    devtools("Emulation.setDeviceMetricsOverride",
             {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::emulate(std::string const& media, std::string const& scheme) {
    Json const feature = {{"name", "prefers-color-scheme"}, {"value", scheme}};
    devtools("Emulation.setEmulatedMedia", {{"media", media}, {"features", Json::array({feature})}});
}

void Browser::allow_scripts(bool yes) { devtools("Emulation.setScriptExecutionDisabled", {{"value", !yes}}); }

std::vector<std::string> Browser::complaints() {
    std::vector<std::string> said;
    for (Json const& entry : command("POST", "/se/log", {{"type", "browser"}}))
        said.push_back(entry.at("message").get<std::string>());
    return said;
}

std::string Browser::picture(bool whole) {
    Json parameters = {{"format", "png"}, {"captureBeyondViewport", whole}};
    if (whole) {
        Json const size = run("const page = document.documentElement; return [page.clientWidth, page.scrollHeight];");
        parameters["clip"] = {{"x", 0}, {"y", 0}, {"width", size[0]}, {"height", size[1]}, {"scale", 1}};
    }
    return from_base64(devtools("Page.captureScreenshot", parameters).at("data").get<std::string>());
}

std::string const& picture_folder() { return pictures; }

void keep_picture(Browser& browser, std::string const& name, bool whole) {
    if (pictures.empty())
        return;
    std::filesystem::create_directories(pictures);
    std::ofstream(std::filesystem::path(pictures) / (name + ".png"), std::ios::binary) << browser.picture(whole);
}

}  // namespace ronde::viz::pages

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    for (int i = 1; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (argument.starts_with("--pictures="))
            ronde::viz::pages::pictures = argument.substr(11);
    }
    ronde::viz::pages::shared_program = new ronde::viz::pages::SharedProgram;
    testing::AddGlobalTestEnvironment(ronde::viz::pages::shared_program);
    return RUN_ALL_TESTS();
}

# cmake -DOUTPUT=assets.cpp -DSTYLE=page.css -DSCRIPT=player.js -P embed.cmake
# Writes a source file with the text of both.
file(READ ${STYLE} style)
file(READ ${SCRIPT} script)
foreach(text IN ITEMS "${style}" "${script}")
  if(text MATCHES "\\)asset\"|\\]\\]>|</")
    message(FATAL_ERROR "${STYLE} or ${SCRIPT}: cannot hold the end of what it stands in")
  endif()
endforeach()
file(WRITE ${OUTPUT} "#include \"page/assets.hpp\"

namespace ronde::viz {

std::string_view page_style() noexcept { return R\"asset(${style})asset\"; }
std::string_view player_script() noexcept { return R\"asset(${script})asset\"; }

}  // namespace ronde::viz
")

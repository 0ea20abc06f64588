# cmake -DOUTPUT=texts.cpp "-DFILES=a.toml;b.toml" -P embed.cmake
# Writes a source file with each file's name (without .toml) and text, sorted by name.
list(SORT FILES)
set(rows "")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  if(text MATCHES "\\)toml\"")
    message(FATAL_ERROR "${file}: cannot hold the end of its own literal")
  endif()
  string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"scenario/shipped_texts.hpp\"

namespace ronde::sim {

Shipped const kShippedTexts[] = {
${rows}};
std::size_t const kShippedCount = sizeof kShippedTexts / sizeof kShippedTexts[0];

}  // namespace ronde::sim
")

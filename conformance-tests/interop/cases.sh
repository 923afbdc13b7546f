# The cases of run-suite, one a line: NAME TIER PLAY KEY=VALUE...
# Sourced by bash, not run.
# shellcheck shell=bash
#
# Tier `quick` is a selection that covers: of service, role, IP version, message size and way of waiting each pair of
# values occurs. Tier `full` is the rest of the product at path MTU 1024 and 4096, covering selections at the other
# path MTUs, and what takes minutes. Cases of one network MTU stand together, because each change boots anew.
#
# PLAY is a function of plays.sh; the keys are its settings:
#   network   MTU of the network, for which guests are booted
#   service   rc, uc, ud, srq             peer      c: a program of rdma-core; java: verbs-hardware on rxe0
#   role      what the emulator is: client or server; `guest`: no program of ours, a second guest plays the client;
#             `careless`: the same, but its bytes must be called invalid, and the case passes when the suite notices
#   ip        4, 6                        mtu       path MTU
#   bytes     of a message                rounds    messages each way
#   wait      poll, events                faults    a fault plan for the emulator's datagrams, _ for a space
#   transport of the emulator: linux, netty
#   test      of perf: send_bw ... atomic_lat; then rounds are its iterations. Of cm: the program
#   qps       queue pairs of such a test
#   connect   of perf: exchange (over TCP), rdma_cm
#   rows      of conformance: the tables, as a regular expression; of pair: those of which the emulator is the near end or the far
#             one (role)

cases() {
  one_network 1500 quick
  one_network 9000 full
}

one_network() { # NETWORK_MTU TIER
  local network=$1 tier=$2 mtu role ip
  if [ "$network" = 1500 ]; then
    mtu=1024
    echo "selftest-two-guests quick pingpong network=1500 role=guest bytes=4096 rounds=10"
    echo "selftest-notices-invalid-data quick pingpong network=1500 role=careless bytes=4096 rounds=3"
    echo "devinfo quick devinfo network=1500"
  else
    mtu=4096
    echo "selftest-two-guests-jumbo full pingpong network=9000 role=guest ip=6 mtu=4096 bytes=65536 rounds=5"
    echo "devinfo-jumbo full devinfo network=9000"
  fi

  reliable "$mtu" "$tier"
  unreliable_and_shared "$mtu" "$tier"
  other_path_mtus
  between_backends "$mtu" "$tier"
  perf_between_backends "$mtu"
  lossy "$mtu" "$tier"
  integrity "$mtu" "$tier"
  perf_tests "$mtu" "$tier"
  connection_manager "$tier"
  if [ "$network" = 1500 ]; then
    through_the_proxy
    echo "verbs quick conformance network=1500 rows=VRB|MAN|ECQ|WRB"
    # Apart, for a machine that gives an evening to one of them; their reports are joined by --compare.
    echo "conformance-states full conformance network=1500 rows=QPT"
    echo "conformance-connections full conformance network=1500 rows=CM-"
    echo "conformance-rest full conformance network=1500 rows=(?!QPT|CM-)"
    for role in near far; do
      echo "pair-emulator-$role full pair network=1500 role=$role rows=RNR|TMO|ACC|MWN|FLT|DROP|EVT|ERR"
    done
    echo "dialogues full dialogues network=1500"
  fi
}

# Every service, role, IP version and way of waiting; the second tier is that of the combinations which cover pairs.
reliable() { # PATH_MTU TIER
  local role ip bytes wait tier
  for role in client server; do
    for ip in 4 6; do
      for bytes in 4096 65536; do
        for wait in poll events; do
          [ $bytes-$wait != 65536-events ] || continue
          tier=full
          case $role-$ip-$bytes-$wait in
            client-4-65536-poll | client-4-4096-poll | client-6-4096-events) tier=$2 ;;
            server-6-65536-poll | server-6-4096-poll | server-4-4096-events) tier=$2 ;;
          esac
          pingpong_case "$tier" rc c $role $ip "$1" "$bytes" $wait
        done
      done
    done
  done
}

unreliable_and_shared() { # PATH_MTU TIER
  local service role ip wait tier bytes
  for service in uc ud srq; do
    # A datagram is one packet.
    bytes=4096
    [ $service != ud ] || bytes=$1
    for role in client server; do
      for ip in 4 6; do
        for wait in poll events; do
          tier=full
          case $role-$ip-$wait in client-4-poll | client-6-events | server-4-events | server-6-poll) tier=$2 ;; esac
          pingpong_case "$tier" $service c $role $ip "$1" "$bytes" $wait
        done
      done
    done
  done
}

# Path MTUs below the network's: RC in both roles, the others in one each.
other_path_mtus() {
  local mtu mtus=(256 512)
  [ "$network" = 1500 ] || mtus=(256 2048)
  for mtu in "${mtus[@]}"; do
    pingpong_case full rc c client 4 "$mtu" 65536 poll
    pingpong_case full rc c server 6 "$mtu" 65536 events
    pingpong_case full uc c server 4 "$mtu" 4096 poll
    pingpong_case full srq c client 6 "$mtu" 4096 poll
    pingpong_case full ud c client 6 "$mtu" "$mtu" events
  done
}

# The emulator here, verbs-hardware in the guest: the same program on two backends.
between_backends() { # PATH_MTU TIER
  local service role ip wait tier bytes
  for service in rc uc ud srq; do
    bytes=4096
    [ $service != ud ] || bytes=$1
    for role in client server; do
      case $role-$service in
        client-rc | client-ud | server-uc | server-srq) ip=4 wait=poll ;;
        *) ip=6 wait=events ;;
      esac
      tier=full
      case $role-$service in client-rc | server-ud) tier=$2 ;; esac
      pingpong_case "$tier" $service java $role $ip "$1" "$bytes" $wait
    done
  done
}

# roce4j perf with itself: here, and on rxe0 in the guest.
perf_between_backends() { # PATH_MTU
  perf_case full rc send bw client 4 "$1" 8192 1 poll java
  perf_case full rc write lat server 6 "$1" 100 1 poll java
  perf_case full rc read bw client 6 "$1" 8192 1 events java
  perf_case full rc atomic lat server 4 "$1" 8 1 poll java
  perf_case full uc write bw server 4 "$1" 8192 1 poll java
  perf_case full ud send lat client 6 "$1" "$1" 1 poll java
}

# A path that loses, doubles and reorders: what arrives is what was sent.
lossy() { # PATH_MTU TIER
  local common="network=$network service=rc mtu=$1 rounds=20 bytes=16384 transport=linux"
  echo "loss-client-ipv4-mtu$1 $2 pingpong $common role=client ip=4 faults=seed=7;_drop_probability=3%"
  echo "loss-server-ipv6-mtu$1 full pingpong $common role=server ip=6 faults=seed=8;_drop_probability=3%"
  echo "disorder-client-ipv6-mtu$1 full pingpong $common role=client ip=6" \
    "faults=seed=9;_drop_probability=1%;_duplicate_probability=3%;_reorder=2_probability=3%"
  echo "disorder-server-srq-mtu$1 full pingpong ${common/service=rc/service=srq} role=server ip=4" \
    "faults=seed=10;_drop_probability=1%;_duplicate_probability=3%;_reorder=2_probability=3%"
}

# The invariant CRC as rxe judges it: right in single datagrams and in trains, wrong where we corrupt.
integrity() { # PATH_MTU TIER
  local ip tier
  for ip in 4 6; do
    tier=full
    [ $ip = 6 ] || tier=$2
    echo "icrc-trains-ipv$ip-mtu$1 $tier icrc network=$network ip=$ip mtu=$1 bytes=32768 rounds=10 transport=linux"
    echo "icrc-singles-ipv$ip-mtu$1 full icrc network=$network ip=$ip mtu=$1 bytes=$1 rounds=20 transport=linux"
    echo "icrc-netty-ipv$ip-mtu$1 full icrc network=$network ip=$ip mtu=$1 bytes=32768 rounds=10 transport=netty"
    echo "icrc-corrupted-ipv$ip-mtu$1 $tier icrc network=$network ip=$ip mtu=$1 bytes=16384 rounds=10 transport=linux" \
      "faults=seed=11;_corrupt-icrc_direction=out_every=20;_corrupt-payload_direction=out_every=33"
  done
}

# The programs of librdmacm, in both roles.
connection_manager() { # TIER
  local test role ip tier bytes rounds
  for test in rping rping-own rdma rdmax ucmatose ucmatose-ib udaddy cmtime mckey; do
    rounds=100 bytes=4096
    case $test in ucmatose* | cmtime) rounds=10 ;; udaddy | mckey) rounds=10 bytes=1000 ;; esac
    for role in client server; do
      for ip in 4 6; do
        # Linux joins no IPv6 group on RoCE; rdma_xserver listens on IPv4 only.
        case $test-$role-$ip in mckey-*-6 | rdmax-client-6 | *-own-*-6 | *-ib-*-6) continue ;; esac
        tier=full
        case $test-$role-$ip in *-own-* | *-ib-*) ;; rping-*-4 | rping-server-6 | rdma-client-6 | ucmatose-server-4 | udaddy-client-4 | mckey-server-4) tier=$1 ;; esac
        echo "cm-$test-$role-ipv$ip-mtu$network $tier cm network=$network test=$test role=$role ip=$ip" \
          "bytes=$bytes rounds=$rounds"
      done
    done
  done
}

# Beside 1 % of all a chosen packet is lost: the first of a READ's response (13), a request for a queue pair of datagrams
# (100), which is asked again, or one in the midst of a message (1, 7, 14). The guest's end comes first, so `in` is to it.
# An underscore stands for a space, so opcodes are numbers.
through_the_proxy() {
  local tier test role ip connect bytes faults name rounds
  while read -r tier test role ip connect bytes faults; do
    name=${test/_/-}-$role-ipv$ip rounds=50
    # What an id of rdma_cm loses on rxe costs two seconds.
    case $test in rping) rounds=20 ;; udaddy) rounds=10 ;; esac
    [[ $test-$connect != *_*-rdma_cm ]] || name=cm-$name
    [[ $faults != *corrupt* ]] || name+=-damaged
    [[ $faults != *nth=3 ]] || faults="drop_probability=1%;_$faults"
    echo "proxy-$name $tier proxy network=$network test=$test role=$role ip=$ip connect=$connect bytes=$bytes" \
      "rounds=$rounds faults=seed=1;_$faults"
  done << 'END'
full rping    client 6 rdma_cm  9000 drop_direction=in_opcode=13_nth=3
full rping    server 4 rdma_cm  9000 drop_direction=out_opcode=13_nth=3
full rping    guest  4 rdma_cm  9000 drop_direction=in_opcode=13_nth=3
full udaddy   client 6 rdma_cm  1000 drop_direction=in_opcode=100_nth=1
full udaddy   server 4 rdma_cm  1000 drop_direction=out_opcode=100_nth=1
full udaddy   guest  6 rdma_cm  1000 drop_direction=in_opcode=100_nth=1
full send_bw  client 4 exchange 8192 drop_direction=in_opcode=1_nth=3
quick send_bw guest 4 exchange 8192 drop_direction=in_opcode=1_nth=3
full send_bw  client 4 rdma_cm  8192 drop_direction=in_opcode=1_nth=3
full write_bw server 4 exchange 8192 drop_direction=out_opcode=7_nth=3
full write_bw guest  4 exchange 8192 drop_direction=in_opcode=7_nth=3
full write_bw server 4 rdma_cm  8192 drop_direction=out_opcode=7_nth=3
full read_lat client 4 exchange 8192 drop_direction=out_opcode=14_nth=3
full read_lat guest  4 exchange 8192 drop_direction=out_opcode=14_nth=3
full read_lat guest  4 rdma_cm  8192 drop_direction=out_opcode=14_nth=3
full rping    server 4 rdma_cm  9000 corrupt-icrc_direction=out_every=60;_corrupt-payload_direction=in_every=70
full rping    guest  6 rdma_cm  9000 corrupt-icrc_direction=in_every=60;_corrupt-payload_direction=out_every=70
END
}

pingpong_case() { # TIER SERVICE PEER ROLE IP PATH_MTU BYTES WAIT
  local name=$2-$4-ipv$5-mtu$6-$7 rounds=50
  [ "$3" = c ] || name=java-$name
  [ "$8" = poll ] || name+=-$8
  [ "$7" -lt 65536 ] || rounds=5
  # Every network has these path MTUs; the name tells the smaller ones of the larger network apart.
  [ "$network-$6" != 9000-256 ] || name+=-jumbo
  echo "$name $1 pingpong network=$network service=$2 peer=$3 role=$4 ip=$5 mtu=$6 bytes=$7 rounds=$rounds wait=$8"
}

# perftest's programs in the guest, in both roles, over its own exchange.
perf_tests() { # PATH_MTU TIER
  local verb kind role tier
  for verb in send write read atomic; do
    for kind in bw lat; do
      for role in client server; do
        tier=full
        case $verb-$kind-$role in write-bw-client | send-lat-server | read-bw-server | atomic-lat-client) tier=$2 ;; esac
        perf_case "$tier" rc $verb $kind $role 4 "$1" 8192 1 poll
      done
    done
  done
  perf_case full rc send bw client 6 "$1" 8192 3 events
  perf_case full rc write bw server 6 "$1" 8192 3 poll
  perf_case full rc write lat client 6 "$1" 100 1 poll
  perf_case full rc send lat client 4 "$1" 100 1 events
  perf_case full uc send bw server 4 "$1" 8192 1 poll
  perf_case full uc write lat client 4 "$1" 8192 1 poll
  perf_case full ud send bw client 4 "$1" "$1" 1 poll
  perf_case "$2" ud send lat server 6 "$1" "$1" 1 poll
  perf_by_rdma_cm "$1" "$2"
}

# The same with -R: the exchange over TCP remains, the queue pairs are connected by rdma_cm.
perf_by_rdma_cm() { # PATH_MTU TIER
  local test role tier qps
  for test in send_bw read_bw write_lat; do
    for role in client server; do
      tier=full qps=1
      case $test-$role in send_bw-client | write_lat-server) tier=$2 ;; read_bw-client) qps=3 ;; esac
      echo "perf-cm-${test/_/-}-$role-mtu$1 $tier perf network=$network service=rc test=$test role=$role ip=4 mtu=$1" \
        "bytes=8192 rounds=50 qps=$qps wait=poll connect=rdma_cm"
    done
  done
  for test in send_bw send_lat; do
    for role in client server; do
      tier=full
      [ $test-$role != send_lat-server ] || tier=$2
      echo "perf-cm-ud-${test/_/-}-$role-mtu$1 $tier perf network=$network service=ud test=$test role=$role ip=4 mtu=$1" \
        "bytes=$1 rounds=50 qps=1 wait=poll connect=rdma_cm"
    done
  done
}

perf_case() { # TIER SERVICE VERB KIND ROLE IP PATH_MTU BYTES QPS WAIT [PEER]
  local name=perf-$2-$3-$4-$5-ipv$6-mtu$7 bytes=$8 peer=${11:-c}
  [ "$peer" = c ] || name=java-$name
  [ "$9" = 1 ] || name+=-$9qps
  [ "${10}" = poll ] || name+=-${10}
  [ "$3" != atomic ] || bytes=8
  echo "$name $1 perf network=$network service=$2 test=$3_$4 role=$5 ip=$6 mtu=$7 bytes=$bytes rounds=50 qps=$9" \
    "wait=${10} peer=$peer"
}

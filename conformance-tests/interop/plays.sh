# What a case does, and what it must leave behind. A play runs with the case's settings (see cases.sh) as variables and
# writes into $directory; its judge prints nothing for a pass, else a line for each complaint. Sourced by run-suite.
# shellcheck shell=bash disable=SC2154 # the settings and $directory are run_case's

port=18515

# How long a program may take; an emulated processor needs half a minute to start a Java program.
seconds_of_case() {
  case $play-$peer in
    conformance-*) if [ "$name" = verbs ]; then echo $((4 * case_seconds)); else echo 3600; fi ;;
    pair-* | dialogues-*) echo 3600 ;;
    devinfo-* | *-java) echo $((4 * case_seconds)) ;;
    *) echo "$case_seconds" ;;
  esac
}

# How patient a requester is (4.096 us * 2^N, eight times): 8.6 s, for an emulated processor that must share this machine
# stands still for more than half a second at times. Where packets are lost on purpose many a wait is for nothing: 2.1 s.
# The C programs of rdma-core have 14, 67 ms, but rxe repeats without end.
ack_timeout() { if [ -z "$faults" ]; then echo 18; else echo 16; fi; }

# --- pingpong: the emulator against a program in the guest, or two guests ---

play_pingpong() {
  local seconds gid_index local_address theirs validating ours=()
  seconds=$(seconds_of_case)
  if [ "$ip" = 4 ]; then gid_index=1 local_address=10.77.0.1; else gid_index=2 local_address=fd77::1; fi
  our_program
  if [ "$peer" = java ]; then
    theirs="timeout $seconds $guest_roce4j pingpong --device rxe0 --gid-index $gid_index --service $service"
    theirs+=" --iters $rounds --size $bytes --mtu $mtu --port $port --patience $((seconds / 2)) -u $(ack_timeout)"
    [ "$wait" = poll ] || theirs+=" --events"
    validating=$theirs
  else
    theirs="timeout $seconds ibv_${service}_pingpong -g $gid_index -n $rounds -s $bytes"
    [ "$service" = ud ] || theirs+=" -m $mtu"
    [ "$wait" = poll ] || theirs+=" -e"
    validating="$theirs -c"
  fi

  case $role in
    client) with_guest_server "$(as_server "$validating")" "${ours[@]}" 10.77.0.2 ;;
    guest) with_guest_server "$validating" "$here/rxe-guest" sh 3 "$validating 10.77.0.2" ;;
    careless) with_guest_server "$validating" "$here/rxe-guest" sh 3 "$theirs 10.77.0.2" ;;
    server) with_guest_client "$validating 10.77.0.1" "${ours[@]}" --server ;;
  esac
}

as_server() { if [ "$peer" = java ]; then echo "$1 --server"; else echo "$1"; fi; }

# Sets ours. Faults belong to a device of the configuration.
our_program() {
  ours=(timeout "$seconds")
  if [ -n "$faults" ]; then
    ours+=(env "ROCE4J_DEVICE_OURS_ADDRESSES=$local_address" "ROCE4J_DEVICE_OURS_TRANSPORT=$transport"
      "ROCE4J_DEVICE_OURS_FAULTS=${faults//_/ }" "$roce4j" pingpong --device ours)
  else
    ours+=("$roce4j" pingpong --bind "$local_address" --transport "$transport")
  fi
  ours+=(--service "$service" --port "$port" --iters "$rounds" --size "$bytes" --mtu "$mtu"
    --patience $((seconds / 2)) -u "$(ack_timeout)")
  [ "$wait" = poll ] || ours+=(--events)
  [ "$play" != icrc ] || ours+=(--json) # with the device's counters
}

with_guest_server() { # GUEST COMMAND, CLIENT...
  local command=$1 job listening
  shift
  # /proc/net/tcp has ports in hexadecimal, and 0A for a listening socket.
  listening=$(printf ':%04X 0*:0000 0A' $port)
  job=$(rxe bg 2 "$command & until grep -q '$listening' /proc/net/tcp /proc/net/tcp6; do kill -0 \$! || break
    sleep 0.05; done; touch /tmp/job/listening; wait \$!")
  until [ -e "$(rxe dir 2)/listening" ] || [ -e "$(rxe dir 2)/$job.status" ]; do sleep 0.05; done
  rm -f "$(rxe dir 2)/listening"
  status_of ours rxe capture "$directory/capture.pcapng" "$@"
  # Our program ends last or nearly so; after a failure the C program would wait for the rest of its time.
  [ "$(cat "$directory/ours.status")" = 0 ] || { keep_guest_state; rxe kill 2 "$job"; }
  status_of theirs rxe wait 2 "$job"
}

with_guest_client() { # GUEST COMMAND, SERVER...
  local command=$1 server
  shift
  # shellcheck disable=SC2016 # expanded by the inner shell
  status_of ours rxe capture "$directory/capture.pcapng" \
    sh -c 'echo $$ > "$0"; exec "$@"' "$directory/ours.pid" "$@" &
  server=$!
  until [ -n "$(rxe ns ss -Hltn "sport = :$port")" ] || ! kill -0 $server 2> /dev/null; do sleep 0.05; done
  status_of theirs rxe sh 2 "$command"
  [ "$(cat "$directory/theirs.status")" = 0 ] || { sleep 1; kill "$(cat "$directory/ours.pid")" 2> /dev/null || true; }
  wait $server
}

status_of() { # NAME PROGRAM...: runs it, with its output in NAME.txt and its exit status in NAME.status
  local name=$1 status=0
  shift
  "$@" > "$directory/$name.txt" 2>&1 < /dev/null || status=$?
  echo $status > "$directory/$name.status"
}

# What the guest knew of the queue pairs when a case failed, while the C program still has them.
keep_guest_state() {
  rxe sh 2 "rdma -d resource show qp; grep . $hw_counters/*; cat /proc/net/snmp /proc/net/snmp6; dmesg | tail -n 40" \
    > "$directory/guest-state.txt" 2>&1 || true
}

judge_pingpong() {
  if [ "$role" = careless ]; then
    grep -qs 'invalid data' "$directory"/*s.txt || echo "invalid data went unnoticed"
    return
  fi
  complaint_about_programs
  complaint_about_capture
  [ -z "$faults" ] || complaint_about_faults
}

complaint_about_programs() {
  local side status
  for side in ours theirs; do
    status=$(cat "$directory/$side.status")
    [ "$status" = 0 ] || echo "$side exited with $status $(tail -n 1 "$directory/$side.txt" | cut -c 1-200)"
  done
  ! grep -h -m1 'invalid data' "$directory"/*s.txt || true
}

# To tshark and to ourselves every packet is one of InfiniBand, with a right ICRC unless a wrong one is meant. tshark
# takes some payloads of a few bytes for RPC over RDMA, which it then calls malformed.
complaint_about_reading() {
  local file=$directory/capture.pcapng foreign
  [ -s "$file" ] || { echo "no capture"; return; }
  tshark --disable-protocol rpcordma -r "$file" > "$directory/packets.txt" 2> /dev/null ||
    echo "tshark cannot read the capture"
  [ -s "$directory/packets.txt" ] || echo "the capture is empty"
  foreign=$(tshark --disable-protocol rpcordma -r "$file" -Y '!infiniband || _ws.malformed' 2> /dev/null | wc -l)
  [ "$foreign" = 0 ] || echo "tshark calls $foreign packets malformed or foreign"
  if [ "$inspects" = yes ]; then
    "$roce4j" inspect "$file" > "$directory/inspect.txt" 2>&1 || [[ $play$faults =~ dialogues|corrupt ]] ||
      echo "roce4j inspect refuses the capture"
  fi
}

complaint_about_capture() {
  local file=$directory/capture.pcapng sends expected
  complaint_about_reading
  [ -s "$file" ] || return 0

  # SEND First, Middle, Last, with immediate, Only are opcodes 0 to 5; the upper three bits are the transport service.
  sends=$(tshark -r "$file" -T fields -e infiniband.bth.opcode 2> /dev/null | awk '$1 != "" && $1 % 32 <= 5' | wc -l)
  expected=$((2 * rounds * ((bytes + mtu - 1) / mtu)))
  [ "$sends" -ge "$expected" ] || echo "the capture holds $sends SEND packets, not $expected"
}

# A path without a fault would prove nothing.
complaint_about_faults() {
  grep -qE '(^|[ ,(])[1-9][0-9]* retransmitted' "$directory/ours.txt" || [ "$(retransmitted_by_guest)" -gt 0 ] ||
    echo "nothing was lost: no packet was sent twice"
}

# Packets of the guest's that carry a packet sequence number seen before, to the same queue pair.
retransmitted_by_guest() {
  tshark -r "$directory/capture.pcapng" -Y "ip.src == 10.77.0.2 || ipv6.src == fd77::2" -T fields \
    -e infiniband.bth.opcode -e infiniband.bth.destqp -e infiniband.bth.psn 2> /dev/null |
    awk '$1 % 32 <= 5' | sort | uniq -d | wc -l
}

# --- cm: the programs of librdmacm, the emulator against the guest ---

play_cm() {
  local guest=10.77.0.2 own=10.77.0.1
  [ "$ip" = 4 ] || guest=fd77::2 own=fd77::1
  pair_cm $guest $own $own $guest
}

# The guest's end is called from ours, and ours from the guest's, at an address that may be another than its own.
pair_cm() { # GUEST, OTHER END, OTHER END AS THE GUEST CALLS IT, GUEST AS THE OTHER END CALLS IT
  local seconds
  seconds=$(seconds_of_case)
  case $role in
    client) # shellcheck disable=SC2046 # words
      with_guest_service "timeout $seconds $(cm_program c server "$1")" \
        timeout "$seconds" "$roce4j" $(cm_program ours client "$2" "$4") ;;
    server) # shellcheck disable=SC2046
      with_own_service "timeout $seconds $(cm_program c client "$1" "$3")" \
        timeout "$seconds" "$roce4j" $(cm_program ours server "$2") ;;
    guest)
      with_guest_service "timeout $seconds $(cm_program c server "$1")" \
        "$here/rxe-guest" sh 3 "timeout $seconds $(cm_program c client "$2" "$4")" ;;
  esac
}

# Prints its command line: ours and that of the C program are alike but for the name, and for how a client is bound.
cm_program() { # c | ours, client | server, OWN ADDRESS [PEER'S ADDRESS]
  local messages="-C $rounds -S $bytes" connections=10
  [ "$test" != udaddy ] || connections=3
  case $test-$2-$1 in
    rping-own-*) echo "$(test=rping cm_program "$@") -q" ;;
    ucmatose-ib-*) echo "$(test=ucmatose cm_program "$@") -P ib -a 19" ;;
    rping-server-c) echo "rping -s -a $3 $messages -v -V" ;;
    rping-server-ours) echo "rping -s -a $3 $messages -v -V -d" ;;
    rping-client-c) echo "rping -c -a $4 $messages -v -V" ;;
    rping-client-ours) echo "rping -c -a $4 -I $3 $messages -v -V" ;;
    rdma-server-c) echo "rdma_server -s $3" ;;
    rdma-server-ours) echo "rdma-server -s $3" ;;
    rdma-client-c) echo "rdma_client -s $4" ;;
    rdma-client-ours) echo "rdma-client -s $4 --bind $3" ;;
    rdmax-server-c) echo "rdma_xserver" ;;
    rdmax-server-ours) echo "rdma-xserver -b $3" ;;
    rdmax-client-c) echo "rdma_xclient -s $4" ;;
    rdmax-client-ours) echo "rdma-xclient -s $4 --bind $3" ;;
    cmtime-server-*) echo "cmtime -b $3 -c $rounds" ;;
    cmtime-client-*) echo "cmtime -s $4 -b $3 -c $rounds" ;;
    mckey-server-*) echo "mckey -m $group -b $3 $messages" ;;
    mckey-client-*) echo "mckey -m $group -b $3 -s $messages" ;;
    *-server-*) echo "$test -b $3 -c $connections $messages" ;;
    *-client-*) echo "$test -s $4 -b $3 -c $connections $messages" ;;
  esac
}

# Of mckey, and its Ethernet address, as the guest's kernel lists it.
group=239.77.0.1
group_address=01005e4d0001

with_guest_service() { # GUEST COMMAND, CLIENT...
  local command=$1 job ready='rdma resource show cm_id | grep -q LISTEN'
  shift
  # An id that listens at any address says so before it listens on each device.
  [ "$test" != rdmax ] || ready+=' && sleep 1'
  [ "$test" != mckey ] || ready="grep -q $group_address /proc/net/dev_mcast"
  job=$(rxe bg 2 "$command & until $ready; do kill -0 \$! || break
    sleep 0.05; done; touch /tmp/job/listening; wait \$!")
  until [ -e "$(rxe dir 2)/listening" ] || [ -e "$(rxe dir 2)/$job.status" ]; do sleep 0.05; done
  rm -f "$(rxe dir 2)/listening"
  status_of ours rxe capture "$directory/capture.pcapng" "$@"
  [ "$(cat "$directory/ours.status")" = 0 ] || { keep_guest_state; rxe kill 2 "$job"; }
  # The server of rdma-core's cmtime never ends.
  [ "$test" != cmtime ] || rxe kill 2 "$job"
  status_of theirs rxe wait 2 "$job"
  [ "$test" != cmtime ] || echo 0 > "$directory/theirs.status"
}

# Our programs say that they start; the C program asks again until somebody listens, or is told that nobody does.
with_own_service() { # GUEST COMMAND, SERVER...
  local command=$1 server
  shift
  # shellcheck disable=SC2016 # expanded by the inner shell
  status_of ours rxe capture "$directory/capture.pcapng" \
    sh -c 'echo $$ > "$0"; exec "$@"' "$directory/ours.pid" "$@" &
  server=$!
  until grep -qs 'listen\|start\|waiting' "$directory/ours.txt" || ! kill -0 $server 2> /dev/null; do sleep 0.05; done
  sleep 1
  status_of theirs rxe sh 2 "$command"
  [ "$(cat "$directory/theirs.status")" = 0 ] || { sleep 1; kill "$(cat "$directory/ours.pid")" 2> /dev/null || true; }
  wait $server
}

# udaddy of rdma-core 44 says 0 also when it failed, so what is said at the end counts, too.
judge_cm() {
  local side
  complaint_about_programs
  complaint_about_reading
  for side in ours theirs; do
    case $test-$(grep -c 'ping data: rdma-ping-' "$directory/$side.txt") in
      rping-"$rounds" | rping-own-"$rounds") ;;
      rping-*) echo "$side told of other pings than $rounds" ;;
      cmtime-*) [ $side$role = theirsclient ] || [ $side$role = oursserver ] || grep -q '^disconnect' "$directory/$side.txt" ||
        echo "$side did not disconnect" ;;
      *) grep -qE 'data transfers complete|end 0' "$directory/$side.txt" || echo "$side did not complete" ;;
    esac
  done
  [ "$test" = mckey ] || grep -qsE 'CM: (ConnectRequest|ServiceIDResReq)' "$directory/packets.txt" ||
    echo "the capture holds no request of the connection manager"
}

# --- proxy: two ends, one or both of them rxe, each with the proxy for its peer ---

# Where a program that exchanges GIDs over TCP calls the proxy, which calls $port.
exchange_port=18514

play_proxy() {
  local net=10.77.0. bits=24 other=1 near far facing_near facing_far proxy address options=()
  [ "$ip" = 4 ] || net=fd77:: bits=64
  [ "$role" != guest ] || other=3
  near=${net}2 far=$net$other facing_near=${net}5 facing_far=${net}6
  for address in "$facing_near" "$facing_far"; do rxe ns ip addr replace "$address/$bits" dev br0; done
  [ "$connect" = rdma_cm ] || options=(--exchange "$exchange_port:$port")
  # shellcheck disable=SC2016 # expanded by the inner shell
  rxe ns sh -c 'echo $$ > "$0"; exec "$@"' "$directory/proxy.pid" timeout "$((2 * $(seconds_of_case)))" \
    "$roce4j" proxy "$near" "$far" --bind "$facing_near,$facing_far" --faults "${faults//_/ }" "${options[@]}" \
    --capture "$directory/near.pcapng,$directory/far.pcapng" > "$directory/proxy.txt" 2>&1 &
  proxy=$!
  until grep -qs 'proxy ready' "$directory/proxy.txt" || ! kill -0 $proxy 2> /dev/null; do sleep 0.05; done
  if is_perf; then
    pair_perf "$far" "$facing_near" "$facing_far"
  else
    pair_cm "$near" "$far" "$facing_near" "$facing_far"
  fi
  kill "$(cat "$directory/proxy.pid")" 2> /dev/null || true
  wait $proxy || true
}

is_perf() { [[ $test == *_bw || $test == *_lat ]]; }

# Of the captures: near is the guest's side. What comes from there is damaged behind its capture, so far shows it, and
# the other way round.
judge_proxy() {
  local side told
  if is_perf; then judge_perf; else judge_cm; fi
  for side in near:in far:out; do
    told=$("$roce4j" inspect "$directory/${side%:*}.pcapng" | tail -n 1) || true # 1 for what is damaged
    [[ $told == *" $(applied "corrupt[^)]*direction=${side#*:}") icrc bad, 0 malformed" ]] ||
      echo "the proxy's capture of the side '${side%:*}' is other than its plan: $told"
  done
  [ "$(applied nth=)" = 1 ] || [[ $faults != *nth=* ]] ||
    echo "the chosen packet was not lost: $(tail -n 1 "$directory/proxy.txt")"
  [[ $faults != *corrupt* ]] || [ "$(applied corrupt)" -gt 0 ] || echo "nothing was damaged"
  [ "$connect" = rdma_cm ] || grep -q '^exchange: .* [1-9][0-9]* GIDs' "$directory/proxy.txt" ||
    echo "no GID went over the proxy's TCP connection"
}

# How many datagrams the rules took.
applied() { # PATTERN
  sed -n "s/^rule .*$1.*: \\([0-9]*\\) datagrams/\\1/p" "$directory/proxy.txt" | awk '{ sum += $1 } END { print sum + 0 }'
}

# --- icrc: what rxe's own check of it said of our packets, counted on both sides ---

hw_counters=/sys/class/infiniband/rxe0/ports/1/hw_counters
icrc_verdicts=/sys/kernel/tracing/events/kprobes/icrc

play_icrc() {
  rxe sh 2 "$(declare -f watch_icrc); watch_icrc $icrc_verdicts; cat $hw_counters/rcvd_pkts" \
    > "$directory/accepted-before.txt" 2>&1
  play_pingpong
  rxe sh 2 "cat $hw_counters/rcvd_pkts" > "$directory/accepted-after.txt"
  rxe sh 2 "cat $icrc_verdicts/hist" > "$directory/verdicts.txt" 2>&1
}

# In the guest. rxe drops a packet with a wrong ICRC and counts it nowhere: so the kernel counts what the function
# that checks it returns, by value.
watch_icrc() { # EVENT
  local tracing=/sys/kernel/tracing
  mountpoint -q $tracing || mount -t tracefs tracefs $tracing
  # shellcheck disable=SC2016 # $retval is the kernel's
  [ -d "$1" ] || echo 'r:icrc rxe_icrc_check ret=$retval:s32' > $tracing/kprobe_events
  # One that is there is taken away with its counts.
  echo '!hist:keys=ret' > "$1/trigger" 2> /dev/null || true
  echo 'hist:keys=ret' > "$1/trigger"
}

# The last acknowledgements may come when rxe's queue pair has gone; then their ICRC is not looked at.
judge_icrc() {
  local file=$directory/capture.pcapng sent right wrong bad received late handed
  complaint_about_programs
  # Counts of a run that was cut short say nothing.
  [ "$(cat "$directory/ours.status")-$(cat "$directory/theirs.status")" = 0-0 ] || return 0
  complaint_about_capture
  [ -s "$file" ] || return 0
  ours_in_capture > "$directory/sent.txt"
  sent=$(wc -l < "$directory/sent.txt")
  late=$(tac "$directory/sent.txt" | awk '$1 != 17 { exit } { n++ } END { print n + 0 }')
  bad=$(sed -n 's/.* \([0-9]*\) icrc bad.*/\1/p' "$directory/inspect.txt" | tail -n 1)
  # With UDP segmentation offload a train of packets is handed to the kernel at once.
  handed=$(grep -o '"sent_trains": *[0-9]*' "$directory/ours.txt" | grep -o '[0-9]*$')
  bad=${bad:-0} handed=${handed:-0}
  right=$(verdicts right) wrong=$(verdicts wrong)
  received=$(($(cat "$directory/accepted-after.txt") - $(tail -n 1 "$directory/accepted-before.txt")))
  echo "IPv$ip, transport $transport: $sent packets in $handed datagrams and trains, $bad corrupted;" \
    "rxe: ICRC right $right, wrong $wrong, received $received" > "$directory/icrc.txt"

  if [ "$right" -gt $((sent - bad)) ] || [ "$right" -lt $((sent - bad - late)) ]; then
    echo "of $sent packets, $bad corrupted, rxe found $right right"
  fi
  [ "$handed" -gt 0 ] || echo "ours does not tell of datagrams and trains"
  [ "$received" = "$right" ] || echo "rxe received $received packets and found $right right"
  if [ "$wrong" -gt "$bad" ] || [ "$wrong" -lt $((bad - late)) ]; then echo "of $bad corrupted, rxe found $wrong wrong"; fi
  if [ -n "$faults" ]; then [ "$bad" -gt 0 ]; else [ "$bad" = 0 ]; fi || echo "$bad packets have a wrong ICRC"
  case $transport-$((bytes > mtu)) in
    linux-1) [ "$handed" -lt "$sent" ] || echo "no packets went in trains" ;;
    linux-0) [ $((2 * handed)) -gt "$sent" ] || echo "no packet went alone" ;;
  esac
}

# How often rxe's check returned 0 (right), or an error (wrong): { ret:        -22 } hitcount:          7
verdicts() { # right | wrong
  awk -v wanted="$1" '$2 == "ret:" && ($3 == 0) == (wanted == "right") { sum += $6 } END { print sum + 0 }' \
    "$directory/verdicts.txt"
}

# The opcodes of our packets; 17 is an acknowledgement.
ours_in_capture() {
  tshark -r "$directory/capture.pcapng" -Y "ip.dst == 10.77.0.2 || ipv6.dst == fd77::2" -T fields \
    -e infiniband.bth.opcode 2> /dev/null
}

# --- devinfo: what libibverbs says of rxe0, by two programs ---

play_devinfo() {
  status_of theirs rxe sh 2 "ibv_devinfo -v -d rxe0"
  status_of ours rxe sh 2 "$guest_roce4j devinfo -v -d rxe0"
}

judge_devinfo() {
  complaint_about_programs
  diff "$directory/theirs.txt" "$directory/ours.txt" > "$directory/difference.txt" ||
    echo "devinfo differs from ibv_devinfo in $(grep -c '^[<>]' "$directory/difference.txt") lines: $(
      sed -n '2s/[[:space:]]\+/ /gp' "$directory/difference.txt")"
}

# --- conformance: the specification's rows on verbs-hardware over rxe0 ---

play_conformance() {
  status_of ours rxe sh 2 "timeout $(seconds_of_case) $guest_roce4j conformance --backend hardware --device rxe0 \
    --gid-index 1 --only '^($rows)' --verbose --json /tmp/job/conformance.json"
  cp "$(rxe dir 2)/conformance.json" "$directory/hardware.json" 2> /dev/null || true
}

judge_conformance() {
  [ "$(cat "$directory/ours.status")" = 0 ] || echo "exited with $(cat "$directory/ours.status"): $(
    tail -n 1 "$directory/ours.txt")"
  [ -s "$directory/hardware.json" ] || echo "no report"
}

# --- pair: the specification's rows, between the emulator and rxe ---

# Both are devices of one Java virtual machine of the guest. rxe has the UDP port of its own network namespace, so the
# program runs in another one, from where verbs reach rxe all the same: rxe1 is on one end of a cable, our sockets on the
# other.
play_pair() {
  local devices indexes
  if [ "$role" = near ]; then devices=ours,rxe1 indexes=0,1; else devices=rxe1,ours indexes=1,0; fi
  status_of network rxe sh 2 "$(declare -f lay_cable); [ -e /sys/class/infiniband/rxe1 ] || lay_cable"
  status_of ours rxe sh 2 "dumpcap -q -i veth0 -f 'udp port 4791' -w /tmp/pair.pcapng 2> /dev/null & dumpcap=\$!
    nsenter --net=/run/netns/pair env ROCE4J_DEVICE_OURS_ADDRESSES=10.78.0.2 \
      timeout $(seconds_of_case) $guest_roce4j conformance --backend pair --device $devices --gid-index $indexes \
      --only '^($rows)-' --verbose --json /tmp/job/pair.json
    status=\$?; kill \$dumpcap; wait; cp /tmp/pair.pcapng /tmp/job/capture.pcapng; exit \$status"
  mv "$(rxe dir 2)/pair.json" "$(rxe dir 2)/capture.pcapng" "$directory/" 2> /dev/null || true
}

# In the guest. Every packet crosses the cable by itself, as on a wire.
lay_cable() {
  set -e
  mkdir -p /run/netns
  ip netns add pair
  ip link add veth0 type veth peer name veth1 netns pair
  ip link set veth0 gso_max_segs 1 up
  ip addr add 10.78.0.1/24 dev veth0
  ip -n pair link set lo up
  ip -n pair link set veth1 gso_max_segs 1 up
  ip -n pair addr add 10.78.0.2/24 dev veth1
  rdma link add rxe1 type rxe netdev veth0
}

judge_pair() {
  [ "$(cat "$directory/network.status")" = 0 ] || echo "no second network: $(tail -n 1 "$directory/network.txt")"
  [ "$(cat "$directory/ours.status")" = 0 ] || echo "exited with $(cat "$directory/ours.status"): $(
    tail -n 1 "$directory/ours.txt")"
  [ -s "$directory/pair.json" ] || echo "no report"
  complaint_about_reading
}

# --- dialogues: packets made by hand, in front of rxe ---

play_dialogues() {
  local seconds job agreement
  seconds=$(seconds_of_case)
  # The agreement's TCP port, 18517, in hexadecimal.
  agreement=':4855 0*:0000 0A'
  job=$(rxe bg 2 "timeout $seconds $guest_roce4j conformance --serve --device rxe0 --gid-index 1 --bind 10.77.0.2 &
    until grep -q '$agreement' /proc/net/tcp /proc/net/tcp6; do kill -0 \$! || break; sleep 0.05; done
    touch /tmp/job/listening; wait \$!")
  until [ -e "$(rxe dir 2)/listening" ] || [ -e "$(rxe dir 2)/$job.status" ]; do sleep 0.05; done
  rm -f "$(rxe dir 2)/listening"
  status_of ours rxe capture "$directory/capture.pcapng" timeout "$seconds" "$roce4j" conformance \
    --target 10.77.0.2 --bind 10.77.0.1 --json "$directory/rxe.json"
  rxe kill 2 "$job"
  status_of theirs rxe wait 2 "$job"
}

# Of what rxe does otherwise than it is declared to, the command says why.
judge_dialogues() {
  [ -s "$directory/rxe.json" ] || { echo "no report: $(tail -n 1 "$directory/ours.txt")"; return; }
  [ "$(cat "$directory/ours.status")" = 0 ] ||
    echo "other than declared: $(sed -n 's/^fail  *\([^ ]*\) .*/\1/p' "$directory/ours.txt" | head -n 3 | xargs)"
  complaint_about_reading
}

# --- perf: the emulator's roce4j perf against a program of perftest, or against itself on rxe0 ---

play_perf() {
  local own=10.77.0.1
  [ "$ip" = 4 ] || own=fd77::1
  # Without a proxy the exchange goes over IPv4, whatever the GIDs are.
  pair_perf $own 10.77.0.1 10.77.0.2
}

pair_perf() { # OTHER END, OTHER END AS THE GUEST CALLS IT, GUEST AS THE OTHER END CALLS IT
  local seconds theirs ours with_guest=with_guest_server with_own=with_guest_client
  seconds=$(seconds_of_case)
  [ "$connect" != rdma_cm ] || with_guest=with_guest_service with_own=with_own_service
  theirs="timeout $seconds $(perf_program "$peer" "$role")"
  # shellcheck disable=SC2206 # words
  ours=(timeout "$seconds" "$roce4j" $(perf_program ours "$role" "$1"))
  case $role in
    client) $with_guest "$(as_server "$theirs")" "${ours[@]}" "$3" ;;
    server) $with_own "$theirs $2" "${ours[@]}" --server ;;
    guest) $with_guest "$theirs" "$here/rxe-guest" sh 3 "timeout $seconds $(perf_program c server) $3" ;;
  esac
}

# Prints its command line without the server. Both read these letters alike.
perf_program() { # c | java | ours, OUR ROLE [OUR ADDRESS]
  local common="-s $bytes -n $rounds -m $mtu -u $(ack_timeout) -c ${service^^}" call=$port gid_index=1
  [ "$ip" = 4 ] || gid_index=2
  # A client calls the proxy.
  if [ "$play" = proxy ] && [ "$connect" = exchange ]; then
    case $1-$2 in c-server | ours-client) call=$exchange_port ;; esac
  fi
  common+=" -p $call"
  [ "$qps" = 1 ] || common+=" -q $qps"
  [ "$wait" = poll ] || common+=" -e"
  [ "$connect" = exchange ] || common+=" -R"
  case $1 in
    # Atomics take no size.
    c) [[ $test != atomic* ]] || common=${common/-s 8 /}
      echo "ib_$test -F -d rxe0 -x $gid_index $common" ;;
    java) echo "$guest_roce4j perf $test -d rxe0 -x $gid_index $common --json --patience $((seconds / 2))" ;;
    # Without JSON our server says that it waits.
    ours) [ "$connect" = rdma_cm ] || common+=" --json"
      echo "perf $test --bind $3 --patience $((seconds / 2)) $common" ;;
  esac
}

# Both programs tell the same number of messages, but the server of read_lat or atomic_lat, which learns of none.
judge_perf() {
  local total=$((rounds * qps))
  complaint_about_programs
  [[ $role-$test =~ ^server-(read|atomic)_lat$ ]] || grep -qE "^ $bytes +$total |\"iterations\":$total," "$directory/ours.txt" ||
    echo "ours does not tell of $total messages"
  [[ $role-$test =~ ^(client|guest)-(read|atomic)_lat$ ]] || grep -qE "^ $bytes +$total |\"iterations\":$total," "$directory/theirs.txt" ||
    echo "theirs does not tell of $total messages"
  complaint_about_reading
}

#!/usr/bin/env bash
# A Neo4j Community server for trying and testing: fetched by Maven once, on a free port, with a password of its own.
# usage: neo4j.sh start|stop|address FOLDER
#   start    fetches the jars where they are missing, starts the server, waits until it serves, prints what to export
#   stop     ends the server that start began
#   address  prints the address of the running server
# Where Java or Maven is missing, start says so and does nothing. The server (GPLv3) is a separate process that is never
# linked with or shipped beside the tools.
set -euo pipefail

version=5.26.16
password=techrag-local-only
usage="usage: $(basename "$0") start|stop|address FOLDER"
action=${1:?$usage}
mkdir -p "${2:?$usage}"
home=$(cd "$2" && pwd)
# The jars are shared by all servers under one folder.
lib=$(dirname "$home")/neo4j-lib
pid_file=$home/run/pid address_file=$home/run/address

running() { [ -f "$pid_file" ] && kill -0 "$(cat "$pid_file")" 2>/dev/null; }

fetch() {
  [ ! -f "$lib/.$version" ] || return 0
  mkdir -p "$lib"
  echo "neo4j: fetching version $version (about 120 MB, once)" >&2
  cat >"$lib/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>neo4j-run</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>$version</version></dependency></dependencies>
</project>
POM
  mvn -B -q -f "$lib/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$lib" >&2
  touch "$lib/.$version"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

tell() {
  echo "export NEO4J_USER=neo4j NEO4J_PASSWORD=$password TECHRAG_NEO4J=$(cat "$address_file") TECHRAG_NEO4J_PID=$(cat "$pid_file")"
}

start() {
  for tool in java mvn; do
    command -v "$tool" >/dev/null || { echo "neo4j: there is no $tool: nothing is started" >&2; return 0; }
  done
  if running; then tell; return 0; fi
  fetch
  mkdir -p "$home"/{conf,data,logs,plugins,import,run,lib}
  port=$(free_port)
  cat >"$home/conf/neo4j.conf" <<CONF
server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:$port
server.bolt.tls_level=DISABLED
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
# A test gives a wrong password on purpose; the server listens on this machine only.
dbms.security.auth_max_failed_attempts=0
dbms.usage_report.enabled=false
server.config.strict_validation.enabled=false
server.memory.pagecache.size=128m
CONF
  if [ ! -f "$home/conf/.password" ]; then
    NEO4J_HOME=$home NEO4J_CONF=$home/conf java -cp "$lib/*" org.neo4j.cli.AdminTool dbms set-initial-password "$password" >&2
    touch "$home/conf/.password"
  fi
  setsid java -Xmx1g -XX:+UseG1GC -XX:-OmitStackTraceInFastThrow -Dfile.encoding=UTF-8 -Dlog4j2.disable.jmx=true \
    -Dio.netty.tryReflectionSetAccessible=true --add-opens=java.base/java.nio=ALL-UNNAMED \
    --add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
    --add-opens=java.base/java.util.concurrent=ALL-UNNAMED -cp "$lib/*" org.neo4j.server.CommunityEntryPoint \
    "--home-dir=$home" "--config-dir=$home/conf" --console-mode >"$home/logs/console.log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  echo "bolt://127.0.0.1:$port" >"$address_file"
  for _ in $(seq 240); do
    running || { echo "neo4j: the server ended at once; see $home/logs" >&2; exit 4; }
    # The port opens a moment before the databases are ready; the log says when they are.
    if grep -qs 'Started\.' "$home/logs/console.log" && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      tell
      return 0
    fi
    sleep 0.5
  done
  echo "neo4j: the server does not serve; see $home/logs" >&2
  exit 4
}

stop() {
  running || return 0
  pid=$(cat "$pid_file")
  kill "$pid"
  for _ in $(seq 60); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.5; done
  kill -9 "$pid"
}

case $action in
  start) start ;;
  stop) stop ;;
  address) if running; then cat "$address_file"; else exit 4; fi ;;
  *) echo "$usage" >&2; exit 2 ;;
esac

#!/usr/bin/env bash
# Makes the profiles in this folder again: `src/profile/shipped/record.sh [NAME...]`, on Debian, as root; installs what it runs.
# What is recorded is in each profile's header as well. A profile keeps about 65,000 calls in order (fewer where they are all
# different), as a few long stretches over the run, without callers, and distances only up to a page, so that it stays below 200 KB.
set -euo pipefail
shipped=$(cd "$(dirname "$0")" && pwd)
copysmith=${COPYSMITH:-copysmith}
calls=65536
work=$(mktemp -d /tmp/profiles.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

install() {
    local missing=() pair
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
}

# A program that is recorded may end as it likes, except by failing.
record() {
    local name=$1
    shift
    if [ ${#wanted[@]} -gt 0 ] && [[ ! " ${wanted[*]} " == *" $name "* ]]; then
        return
    fi
    "$copysmith" record --force --name "$name" -o "$work/$name.profile.gz" -- "$@" >/dev/null
    "$copysmith" profile sample "$work/$name.profile.gz" --calls $calls --near 4096 --drop-callers --force --name "$name" \
        -o "$shipped/$name.profile.gz"
}

wanted=("$@")
install gcc=gcc git=git perl=perl /usr/bin/python3=python3 sqlite3=sqlite3 zstd=zstd tar=tar nginx=nginx-light ab=apache2-utils \
    redis-server=redis-server redis-benchmark=redis-tools

# Something to work on that every Debian has: the C headers, in one directory, with a history.
mkdir tree && cp -rL /usr/include/linux tree/
git init -q tree
commit() { git -C tree -c user.name=n -c user.email=e -c commit.gpgsign=false commit -q "$@"; }
for step in 1 2 3 4 5 6 7 8; do
    find tree/linux -name '*.h' | sort | awk "NR % 8 == $step - 1" | while read -r file; do
        sed -i "s/struct /struct s${step}_/" "$file"
    done
    git -C tree add -A
    commit -m "step $step"
done
cat tree/linux/*.h >text

cat >start.py <<'END'
import json, re
text = open("text").read()
words = re.findall(r"[A-Za-z_]\w*", text)
table = {}
for number, word in enumerate(words):
    table.setdefault(word, []).append(number)
dumped = json.dumps(table)
assert json.loads(dumped) == table
print(len(re.sub(r"\bstruct\b", "record", dumped)))
END
cat >long.py <<'END'
import collections
class Node:
    def __init__(self, key, value):
        self.key, self.value = key, value
lines = open("text").read().splitlines()
for turn in range(6):
    nodes = [Node(line.strip().lower(), number) for number, line in enumerate(lines)]
    nodes.sort(key=lambda node: (node.key, node.value))
    count = collections.Counter(part for node in nodes for part in node.key.split())
    joined = "\n".join(f"{node.key:>20}|{node.value}" for node in nodes)
    rows = [tuple(line.split("|")) for line in joined.split("\n")]
    print(len(set(rows)), count.most_common(3), len(joined.replace("struct", "record").encode()))
END
cat >words.pl <<'END'
open my $file, '<', 'text' or die;
my (%count, %first);
while (my $line = <$file>) {
    chomp $line;
    $line =~ s/\s+/ /g;
    for my $word (split /\W+/, $line) { $count{lc $word}++; $first{$word} //= $line; }
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print join(",", map { "$_=$count{$_}" } @words), "\n";
print scalar(grep { $first{$_} && $first{$_} =~ /struct \w*$_/ } @words), "\n";
END
{
    echo 'create table t (id integer primary key, name text, value real, note text); begin;'
    awk 'BEGIN { for (i = 0; i < 40000; i++) printf "insert into t values (%d, \"name%d\", %f, \"%s\");\n", i, i * 7919 % 40000,
        i / 7, substr("the quick brown fox jumps over the lazy dog and back again", 1, i % 57) }'
    echo 'commit; create index by_name on t (name);'
    echo 'select count(*), sum(value) from t where note like "%lazy%"; select name from t order by note, name limit 1000;'
    echo 'update t set note = note || name where id % 3 = 0; select a.name from t a join t b on a.name = b.note || b.name;'
    echo 'delete from t where id % 5 = 0; vacuum; select group_concat(name) from t;'
} >rows.sql
cat >big.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
END
awk 'BEGIN { for (i = 0; i < 900; i++) printf "static int f%d(int a, char *s) { struct { int x; double y; } p = {a, %d.5};\n\
    for (int i = 0; i < a; i++) { switch (i %% 5) { case 0: p.x += s[i]; break; case 1: p.y *= sin(i); break; default: p.x ^= i; } }\n\
    return p.x + (int)p.y + snprintf(s, 10, \"%%d\", p.x); }\n", i, i }' >>big.c
echo 'int main(void) { char s[99] = ""; return f1(3, s); }' >>big.c
cat >big.rs <<'END'
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tree { Leaf(String), Node(Vec<Tree>) }
END
awk 'BEGIN { for (i = 0; i < 60; i++) printf "#[derive(Clone, Debug, Default, PartialEq)] pub struct S%d { a: Vec<u8>, b: Option<String>, c: HashMap<u32, String> }\n\
impl S%d { pub fn f(&self, n: usize) -> BTreeMap<String, usize> { self.a.iter().map(|x| (format!(\"{x}:{n}\"), n)).filter(|y| y.1 %% 3 == 0).collect() } }\n", i, i }' >>big.rs
echo 'fn main() { println!("{:?}", S1::default().f(3)); }' >>big.rs
cat >files.sh <<'END'
declare -A seen
while read -r line; do
    for word in $line; do seen[$word]=$((${seen[$word]:-0} + 1)); done
    case $line in *struct*) last=${line%% *};; '#define'*) last=${line#* };; esac
done < <(head -n 12000 text)
for word in "${!seen[@]}"; do printf '%s %s\n' "${seen[$word]}" "${word//_/-}"; done | sort -rn | head
for i in {1..40}; do x=$(printf '%05d' "$i"); test -n "$(echo "$x" | tr 0-9 a-j)"; done
END
cat >nginx.conf <<END
daemon off; worker_processes 2; pid $work/pid; error_log /dev/null; user root;
events { worker_connections 256; }
http { access_log $work/access; client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f;
    uwsgi_temp_path $work/u; scgi_temp_path $work/s; gzip on; gzip_types text/plain; include /etc/nginx/mime.types;
    server { listen 127.0.0.1:18080; root $work/tree; autoindex on; location /api { return 200 "\$request_uri \$http_user_agent"; } } }
END

# A server under load on loopback, stopped when the load ends.
served() {
    local port=$1 stop=$2
    shift 2
    (
        for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break || sleep 0.1; done
        "$@" >/dev/null 2>&1 || true
        $stop
    ) &
}
load_nginx() {
    for path in /linux/fs.h /linux/ /api/x?y=1 /linux/kvm.h /nothing; do
        ab -q -k -n 3000 -c 8 -H 'Accept-Encoding: gzip' "http://127.0.0.1:18080$path"
    done
}
load_redis() {
    redis-benchmark -p 18081 -q -n 8000 -c 8 -d 100 -r 10000 -t set,get,incr,lpush,lrange_100,hset,zadd,mset
}
stop_nginx() { kill -QUIT "$(cat "$work/pid")"; }
stop_redis() { redis-cli -p 18081 shutdown nosave; }

record bash bash files.sh
record gcc gcc -O2 -c big.c -o big.o
record git git -C tree log -p --stat --reverse
is_wanted() { [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]; }
if is_wanted nginx; then
    served 18080 stop_nginx load_nginx
    calls=57344 record nginx nginx -p ./ -c nginx.conf
    wait
fi
calls=45056 record perl perl words.pl
calls=45056 record python3 /usr/bin/python3 long.py
calls=53248 record python3-json /usr/bin/python3 start.py
if is_wanted redis; then
    served 18081 stop_redis load_redis
    record redis redis-server --port 18081 --save '' --appendonly no
    wait
fi
record rustc rustc --edition 2024 -C opt-level=1 big.rs -o big
record sqlite3 sqlite3 rows.db '.read rows.sql'
record tar tar -cf tree.tar tree /usr/include /usr/share/perl
mkdir out && record zstd zstd -q -f -r -10 tree /usr/include --output-dir-flat out

#!/bin/sh
# Installs Debian packages as root, quietly: `sh install-debian.sh <names>`.
#
# Debian starts the services of what it installs, at once and at every boot, and makes a database for PostgreSQL. Nobody asked
# for that here: the tests start their own, on free ports. What the machine's owner has set up already is left as it is.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Debian asks this program before it starts a service.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

cluster=/etc/postgresql-common/createcluster.conf
if [ ! -e "$cluster" ]; then
  case " $* " in
    *' postgresql '*)
      mkdir -p "${cluster%/*}"
      echo 'create_main_cluster = false' >"$cluster"
      ;;
  esac
fi

apt-get update -qq
# Older releases have Chromium with windows only.
if ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  # shellcheck disable=SC2046 -- the names contain no spaces
  set -- $(echo "$*" | sed 's/chromium-headless-shell/chromium/')
fi
apt-get install -y -qq "$@"

case " $* " in
  *' redis-server '*) update-rc.d redis-server disable ;;
esac

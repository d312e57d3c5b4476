#!/bin/sh
# Tries the plugin on a real WordPress in a temporary folder, against a running installation:
#
#   sh clients/wordpress/test/try.sh http://localhost:3000 API_TOKEN [sendloom-wordpress.zip]
#
# Needs the Debian packages wordpress, mariadb-server, php-cli, php-mysql and php-curl. WooCommerce
# is in no package: WOOCOMMERCE names its ZIP or unpacked folder. Without it the shop's part is left
# out, which the script says. Without a ZIP of the plugin, its source is used.
set -eu
address=$1 token=$2 zip=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)
wordpress=${WORDPRESS:-/usr/share/wordpress}
for need in php mariadbd mariadb-install-db; do
  command -v "$need" >/dev/null || { echo "Missing: $need" >&2; exit 2; }
done
[ -f "$wordpress/wp-load.php" ] || { echo "Missing: WordPress in $wordpress" >&2; exit 2; }

work=$(mktemp -d)
database=
trap '[ -z "$database" ] || kill "$database" 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM

mariadb-install-db --no-defaults --datadir="$work/data" --auth-root-authentication-method=normal >/dev/null 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$work/data" --socket="$work/sock" --skip-networking \
  --pid-file="$work/pid" >"$work/mariadb.log" 2>&1 &
database=$!
tries=0
until mariadb --no-defaults --socket="$work/sock" -u root -e 'create database wp' 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { cat "$work/mariadb.log" >&2; exit 1; }
  sleep 1
done

cp -RL "$wordpress" "$work/site"
rm -rf "$work/site/wp-content"
mkdir -p "$work/site/wp-content/plugins" "$work/site/wp-content/themes"
cat >"$work/site/wp-config.php" <<PHP
<?php
define( 'DB_NAME', 'wp' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:$work/sock' );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', true );
\$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
PHP

plugins=$work/site/wp-content/plugins
if [ -n "$zip" ]; then
  php -r '$z = new ZipArchive(); $z->open($argv[1]) === true || exit(1); $z->extractTo($argv[2]);' "$zip" "$plugins"
else
  cp -R "$here" "$plugins/sendloom"
fi
rm -rf "$plugins/sendloom/test"
if [ -z "${WOOCOMMERCE:-}" ]; then
  echo 'WooCommerce was not given (WOOCOMMERCE): carts, orders and checkout are not tried.'
elif [ -d "$WOOCOMMERCE" ]; then
  cp -R "$WOOCOMMERCE" "$plugins/woocommerce"
else
  php -r '$z = new ZipArchive(); $z->open($argv[1]) === true || exit(1); $z->extractTo($argv[2]);' "$WOOCOMMERCE" "$plugins"
fi
for step in install activate connect forms shop uninstall; do
  php "$here/test/try.php" "$work/site" "$step" "$address" "$token"
done
echo 'All steps passed.'

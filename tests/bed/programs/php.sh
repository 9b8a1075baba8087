# SPDX-License-Identifier: BSD-3-Clause
# packages: php-cli
exec php -n -r '$x = 12345; $h = []; for ($i = 0; $i < 4000000; $i++) { $x = ($x * 1103515245 + 12345) % 2147483648; $k = "k" . $x % 200003; $h[$k] = ($h[$k] ?? 0) + 1; }
ksort($h); echo count($h), " ", max($h), " ", md5(json_encode($h)), "\n";'

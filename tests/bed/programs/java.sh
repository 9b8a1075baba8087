# packages: openjdk-17-jdk-headless
exec java -Xmx512m -XX:+UseSerialGC -cp $DATA Work

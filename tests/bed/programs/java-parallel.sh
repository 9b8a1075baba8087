# packages: openjdk-17-jdk-headless
exec java -Xmx512m -cp $DATA Work

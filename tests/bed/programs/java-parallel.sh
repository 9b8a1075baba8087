# packages: default-jdk-headless
exec java -Xmx512m -cp $DATA Work

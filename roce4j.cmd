@echo off
rem Runs the roce4j command on Windows; builds it on first use. Delete tools\target\roce4j.jar to build it anew.
rem
rem   JAVA_HOME          a JDK 25 or newer; without it, java of the search path
rem   ROCE4J_JAVA_OPTS   further options for the Java virtual machine
setlocal EnableExtensions DisableDelayedExpansion
set "top=%~dp0"
set "jar=%top%tools\target\roce4j.jar"
set "java=java"
if not defined JAVA_HOME goto search
if exist "%JAVA_HOME%\bin\java.exe" set "java=%JAVA_HOME%\bin\java.exe" & goto found
echo roce4j: JAVA_HOME is "%JAVA_HOME%", where there is no Java: using java of the search path 1>&2
:search
where java >nul 2>nul || (
  echo roce4j: needs a JDK 25 or newer and found none: set JAVA_HOME, or "winget install EclipseAdoptium.Temurin.25.JDK" 1>&2
  exit /b 1
)
:found
if exist "%jar%" goto run
where mvn >nul 2>nul || (
  echo roce4j: needs Maven 3.8 or newer to build 1>&2
  exit /b 1
)
echo roce4j: building ^(the first time this fetches libraries^) 1>&2
call mvn -q -B -ntp -f "%top%pom.xml" -pl tools -am -Dmaven.test.skip=true package 1>&2 || exit /b 1
:run
"%java%" -XX:+UseSerialGC -XX:-UsePerfData --enable-native-access=ALL-UNNAMED %ROCE4J_JAVA_OPTS% -cp "%jar%" org.roce4j.tools.Roce4j %*
exit /b %ERRORLEVEL%

# Sourced by the suites: root is the checkout, build the build folder ($BUILD, else build), and all suites share one cache
# of simulators.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${BUILD:-build} in
/*) build=$BUILD ;;
*) build=$root/${BUILD:-build} ;;
esac
tepal=$build/tepal
export TEPAL_CACHE=${TEPAL_CACHE:-$build/test/cache}

/// The number of times that a test repeats what it does.
package enum Repetitions {
    /// Returns the given number in a release build, and a fifth of it in a debug build.
    ///
    /// The first `swift test` of a newcomer is a debug build, whose code is much slower. `.ci/run` runs both builds.
    package static func count(_ countInRelease: Int) -> Int {
        #if DEBUG
        countInRelease / 5
        #else
        countInRelease
        #endif
    }
}

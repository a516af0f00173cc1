extension InteractorTestHarness {
    /// An assertion of the harness does not hold.
    public struct AssertionError: Error, CustomStringConvertible {
        /// What was expected, what was there, and the difference.
        public let message: String
        /// Where the assertion stands.
        public let file: StaticString
        public let line: UInt

        public var description: String { "\(file):\(line): \(message)" }
    }

    /// The history did not grow to the awaited number of states in the time that was given.
    public struct TimeoutError: Error, CustomStringConvertible {
        /// How many states were awaited.
        public let expectedCount: Int
        /// How many there were when the time was over.
        public let actualCount: Int

        public var description: String {
            "Timed out waiting for \(expectedCount) states; there were \(actualCount), the initial one among them."
        }
    }
}

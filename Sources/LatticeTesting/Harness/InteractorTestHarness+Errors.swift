extension InteractorTestHarness {
    /// The error of an assertion of the harness that does not hold.
    public struct AssertionError: Error, CustomStringConvertible {
        /// A sentence with the expected value, the actual value, and their difference.
        public let message: String
        /// The file of the assertion.
        public let file: StaticString
        /// The line of the assertion.
        public let line: UInt

        /// The file and the line of the assertion, and its message.
        public var description: String { "\(file):\(line): \(message)" }
    }

    /// The error of a wait that ended before the history had the expected number of states.
    public struct TimeoutError: Error, CustomStringConvertible {
        /// The expected number of states.
        public let expectedCount: Int
        /// The number of states when the time was over.
        public let actualCount: Int

        /// A sentence with the expected and the actual number of states.
        public var description: String {
            let states = expectedCount == 1 ? "1 state" : "\(expectedCount) states"
            return "Timed out waiting for \(states). The history has \(actualCount), including the initial state."
        }
    }
}

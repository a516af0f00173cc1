extension AsyncStreamRecorder {
    /// The error of a wait that ended before the sequence had emitted the expected number of elements.
    public struct TimeoutError: Error, CustomStringConvertible {
        /// The expected number of elements.
        public let expectedCount: Int
        /// The number of elements when the time was over.
        public let actualCount: Int

        /// A sentence with the expected and the actual number of elements.
        public var description: String {
            let emissions = expectedCount == 1 ? "1 emission" : "\(expectedCount) emissions"
            return "Timed out waiting for \(emissions). The recording has \(actualCount)."
        }
    }

    /// The error of a wait for a sequence that ended before it had emitted the expected number of elements.
    public struct EndedError: Error, CustomStringConvertible {
        /// The reason why no more elements are recorded.
        public enum Reason: Sendable {
            /// The sequence ended.
            case finished
            /// The sequence threw an error.
            case failed(any Error)
            /// The recording was cancelled.
            case cancelled
        }

        /// The expected number of elements.
        public let expectedCount: Int
        /// The number of elements at the end.
        public let actualCount: Int
        /// The reason why no more elements are recorded.
        public let reason: Reason

        /// A sentence with the reason, and with the actual and the expected number of elements.
        public var description: String {
            let end =
                switch reason {
                case .finished: "The sequence ended"
                case .failed(let error): "The sequence failed (\(error))"
                case .cancelled: "Recording was cancelled"
                }
            let emissions = actualCount == 1 ? "1 emission" : "\(actualCount) emissions"
            return "\(end) after \(emissions). The test waited for \(expectedCount)."
        }
    }
}

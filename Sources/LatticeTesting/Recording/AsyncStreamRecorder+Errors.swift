extension AsyncStreamRecorder {
    /// Fewer elements than awaited were emitted in the time that was given.
    public struct TimeoutError: Error, CustomStringConvertible {
        /// How many elements were awaited.
        public let expectedCount: Int
        /// How many there were when the time was over.
        public let actualCount: Int

        public var description: String {
            "Timed out waiting for \(expectedCount) emissions; there were \(actualCount)."
        }
    }

    /// The sequence ended before it had emitted what was awaited.
    public struct EndedError: Error, CustomStringConvertible {
        /// Why nothing more comes.
        public enum Reason: Sendable {
            case finished
            case failed(any Error)
            case cancelled
        }

        /// How many elements were awaited.
        public let expectedCount: Int
        /// How many there were at the end.
        public let actualCount: Int
        public let reason: Reason

        public var description: String {
            let end =
                switch reason {
                case .finished: "The sequence ended"
                case .failed(let error): "The sequence failed (\(error))"
                case .cancelled: "Recording was cancelled"
                }
            return "\(end) after \(actualCount) of the \(expectedCount) emissions awaited."
        }
    }
}

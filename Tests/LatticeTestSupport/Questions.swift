package import LatticeCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Answers how often the worker-local index contains a word.
extension WordsFeature: AnsweringFeature {
    package static func answer(_ word: String, from state: DomainState, in context: HostContext) -> String {
        "\(context[PrefixKey.self])\(state.instance)\(state.index.counts[word, default: 0])"
    }
}

/// Answers questions with faults, such as the end of the process.
extension UnrulyFeature: AnsweringFeature {
    package enum Question: Codable, Sendable {
        /// Returns the sum.
        case sum
        /// Throws the sum.
        case fail
        /// Ends the process each time.
        case leave(code: Int32)
        /// Ends the process unless there is a file at the path, and creates that file first.
        case leaveOnce(marker: String)
        /// Creates a file at the path, and removes it after the question is cancelled.
        case wait(marker: String)
        /// Returns this many bytes.
        case large(Int)
        /// Returns 1 if the task has a deadline, and 0 otherwise.
        case deadline
        /// Returns the number of keys in the trace context of the task.
        case trace
    }

    package enum Answer: Codable, Sendable, Equatable {
        case number(Int)
        case bytes([UInt8])
    }

    package struct Failure: Error, Codable, Sendable, Equatable {
        package let sum: Int

        package init(sum: Int) {
            self.sum = sum
        }
    }

    package static func answer(
        _ question: Question,
        from sum: Int,
        in context: HostContext
    ) async throws(Failure) -> Answer {
        switch question {
        case .sum: break
        case .fail: throw Failure(sum: sum)
        case .leave(let code): endProcess(code)
        case .leaveOnce(let marker): if isFirst(marker) { endProcess(1) }
        case .wait(let marker):
            _ = isFirst(marker)
            // The sleep ends by the cancellation that the question waits for.
            try? await Task.sleep(for: .seconds(1_000))
            unlink(marker)
        case .large(let count): return .bytes([UInt8](repeating: 7, count: count))
        case .deadline: return .number(Deadline.current == nil ? 0 : 1)
        case .trace: return .number(TraceContext.current.keys.count)
        }
        return .number(sum)
    }
}

import CLatticeSystem
import LatticeConcurrency

/// Tells of signals that would end this process, so that it can end in order.
///
/// A signal that somebody handles or ignores already is left alone, and so is one that another caller has caught. What
/// the process starts has the default of each signal.
package enum SignalTrap {
    private struct State {
        var isReading = false
        var listeners: [Int32: @Sendable (Int32) -> Void] = [:]
    }

    private static let state = Locked(State())

    /// Has `listener` called for each signal of `numbers` that comes, until `release`, on a thread of its own that it
    /// must not hold up. Signals that are left alone are not among the result.
    ///
    /// - Returns: The signals that are caught.
    /// - Throws: `.system` when there is no pipe or no thread to be had; nothing is caught then.
    package static func `catch`(
        _ numbers: [Int32],
        _ listener: @escaping @Sendable (Int32) -> Void
    ) throws(TransportError) -> [Int32] {
        try state.withLock { state throws(TransportError) in
            if !state.isReading {
                let line = lattice_signal_line()
                guard line >= 0 else { throw .system("make a pipe for signals", lattice_errno()) }
                try System.startThread(name: "lattice-signal") { read(line) }
                state.isReading = true
            }
            let caught = numbers.filter { lattice_catch_signal($0) == 1 }
            for number in caught { state.listeners[number] = listener }
            return caught
        }
    }

    /// Gives signals that were caught their default back.
    package static func release(_ numbers: [Int32]) {
        state.withLock { state in
            for number in numbers where state.listeners.removeValue(forKey: number) != nil {
                lattice_release_signal(number)
            }
        }
    }

    /// Lets the signal do what it does by default: end this process.
    ///
    /// The system keeps the default of a signal from process 1, such as the first one of a container. That exits with
    /// the code by which a shell reports a signal.
    package static func raiseByDefault(_ number: Int32) {
        release([number])
        // Not `raise`: the threads that tasks run on block all signals.
        kill(getpid(), number)
        if getpid() == 1, lattice_has_default(number) == 1 { _exit(128 + number) }
    }

    private static func read(_ line: Int32) {
        var byte: UInt8 = 0
        while true {
            let isRead = withUnsafeMutableBytes(of: &byte) { buffer in
                if case .moved(1) = System.read(line, into: buffer) { true } else { false }
            }
            guard isRead else { return }
            let number = Int32(byte)
            state.withLock { $0.listeners[number] }?(number)
        }
    }
}

import CLatticeSystem
import LatticeConcurrency
package import LatticeTransport

/// Reports signals that would end this process, so that it can end in an orderly way.
///
/// A signal that is already handled or ignored is left alone, and so is a signal that another caller has caught.
/// Programs that the process starts have the default action of each signal.
package enum SignalTrap {
    private struct State {
        var isReading = false
        var listeners: [Int32: @Sendable (Int32) -> Void] = [:]
    }

    private static let state = Locked(State())

    /// Calls `listener` for each signal of `numbers`, until `release`. The listener is called on a thread of its own,
    /// which it must not block.
    ///
    /// - Returns: The signals that are caught, without those that are left alone.
    /// - Throws: `.system` if no pipe or no thread is available. Nothing is caught then.
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

    /// Returns whether this process ignores a signal.
    package static func isIgnored(_ number: Int32) -> Bool { lattice_ignores(number) == 1 }

    /// Restores the default action of signals that were caught.
    package static func release(_ numbers: [Int32]) {
        state.withLock { state in
            for number in numbers where state.listeners.removeValue(forKey: number) != nil {
                lattice_release_signal(number)
            }
        }
    }

    /// Lets the signal take its default action, which ends this process.
    ///
    /// The system ignores the default action of signals for process 1, such as the first process of a container. That
    /// process exits with the code by which a shell reports the signal.
    package static func raiseByDefault(_ number: Int32) {
        release([number])
        // Not `raise`, because the threads on which tasks run block all signals.
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

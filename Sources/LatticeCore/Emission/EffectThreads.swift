import LatticeConcurrency

/// The threads for effects that are known to compute or to block.
///
/// ```swift
/// .perform { .indexed(Index(of: text)) }.on(.computing)
/// ```
///
/// By default an effect starts at once, even while many other effects compute, because an effect that has run for a
/// millisecond or two is moved to a thread of its own. That works well for a few long effects. If there are many,
/// choose their threads with ``Emission/on(_:)``. The number of these threads is limited, and further effects wait.
public struct EffectThreads: Sendable, Hashable {
    private enum Kind {
        case computing, blocking
    }

    private let kind: Kind

    /// Threads for work that computes, one per core. On Linux the other threads of the process have priority if all of
    /// them want to run.
    public static let computing = EffectThreads(kind: .computing)
    /// Threads for work that blocks in calls of the system or of libraries, for example for files, databases or
    /// devices. There are 64 threads.
    public static let blocking = EffectThreads(kind: .blocking)

    fileprivate var pool: ThreadPool {
        switch kind {
        case .computing: .computing
        case .blocking: .blocking
        }
    }
}

extension EffectThreads? {
    /// Runs work on the chosen threads, or on the current executor if none were chosen.
    func run<Value>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        guard let pool = self?.pool else { return try await work() }
        return try await pool.run(work)
    }
}

extension Emission {
    /// Declares that the effects of this emission compute or block, and runs them on separate threads.
    ///
    /// The declaration applies to every `perform`, `run` and `observe`, including those in merges and appends. An
    /// effect that has such a declaration keeps it. If all threads are busy, work waits in the order of arrival. Work
    /// that waits has not started: if it is cancelled, or a ``timeout(_:clock:)`` expires, it never starts. At an
    /// `await`, work releases its thread and waits for a thread to continue on.
    ///
    /// Only the work itself runs on these threads. The clock of a timeout or a debounce, the handling of results, and
    /// all other effects run elsewhere and are not delayed. The declaration applies to the emission before it, and
    /// other modifiers keep it, so the order of modifiers does not matter.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func on(_ threads: EffectThreads) -> Self {
        mapEffects { $0.threads == nil ? $0.with(threads: threads) : nil }
    }
}

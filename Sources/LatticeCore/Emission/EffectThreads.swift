import LatticeConcurrency

/// Threads for effects that say what they do: compute, or block.
///
/// ```swift
/// .perform { .indexed(Index(of: text)) }.on(.computing)
/// ```
///
/// An effect that says nothing gets a thread at once, also beside many that compute: these have their threads to
/// themselves when they have run for a millisecond or two. That is right for a few of them. Where there are many, say
/// so: then as many run as there is use for, and the others wait for their turn.
public struct EffectThreads: Sendable, Hashable {
    private enum Kind {
        case computing, blocking
    }

    private let kind: Kind

    /// For work that computes: as many threads as there are cores. On Linux the other threads of the process come first
    /// where all of them want the cores.
    public static let computing = EffectThreads(kind: .computing)
    /// For work that waits in calls of the system or of libraries, for files, databases or devices: 64 threads.
    public static let blocking = EffectThreads(kind: .blocking)

    fileprivate var pool: ThreadPool {
        switch kind {
        case .computing: .computing
        case .blocking: .blocking
        }
    }
}

extension EffectThreads? {
    /// Runs work there; where nothing was said, where the caller is.
    func run<Value>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        guard let pool = self?.pool else { return try await work() }
        return try await pool.run(work)
    }
}

extension Emission {
    /// Says that the effects of this emission compute or block, and gives them threads apart.
    ///
    /// Covered are `perform`, `run` and `observe`, those inside merges and appends too; one for which it was said
    /// before keeps what was said. Work that finds all threads busy waits for its turn, first come, first served. While
    /// it waits it has not begun: cancelling it, or a ``timeout(_:clock:)``, ends it without. At an `await` it lets go
    /// of its thread, and waits for one to go on.
    ///
    /// Only the work itself is there; the time of a timeout or a debounce, what comes back, and all other effects are
    /// elsewhere and on time. It holds for what stands before it, and other modifiers keep it, so the order does not
    /// matter.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
    public func on(_ threads: EffectThreads) -> Self {
        mapEffects { $0.threads == nil ? $0.with(threads: threads) : nil }
    }
}

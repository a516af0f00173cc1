package import LatticeConcurrency
package import LatticeCore
package import LatticeProcess
package import LatticeSession
package import LatticeTransport

/// Starts workers. One implementation starts processes, and tests supply others.
package protocol WorkerLauncher: Sendable {
    /// Runs one worker until nothing of it is left.
    ///
    /// - Parameters:
    ///   - launch: The values that the worker must present in its handshake.
    ///   - configureProgram: Changes the program before it is started, or nil to start it as it is.
    ///   - stop: Completed when the worker is to leave. A worker that does not leave is ended. Cancelling the calling
    ///     task ends the worker without waiting for it to leave.
    ///   - onStart: Called once the worker's process exists.
    /// - Returns: How the worker ended.
    /// - Throws: `TransportError` when the worker cannot be started.
    func run(
        _ launch: LaunchVariable,
        configureProgram: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause
}

/// A worker whose process exists and whose handshake is not complete yet.
package struct StartedWorker: Sendable {
    /// The process ID of the worker.
    package let processID: Int32
    /// The coordinator's end of the connection to the worker.
    package var connection: any Connection
    /// Sends a signal to the worker and its process group, unless the worker has ended.
    package let signal: @Sendable (Int32) -> Void
    /// The last lines that the worker wrote to its standard error.
    package var output = OutputTail()
    /// The record in which the worker notes which turn is running, or nil if it has none.
    package var turns: TurnRecord?
    /// The limits that the process was started with, or nil if it has none of its own.
    var limits: WorkerLimits?
}

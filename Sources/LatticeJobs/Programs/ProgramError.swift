import LatticeCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The reason why a ``ProgramJob`` has no result.
///
/// ```swift
/// do {
///     try await farm.run(ProgramJob("xz", "-9k", path))
/// } catch let error as JobError {
///     if let failure = error.cause as? ProgramError, failure.exitCode == 1 { print(failure.errorText) }
/// }
/// ```
public struct ProgramError: Error, Codable, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a ``ProgramError``.
    public enum Code: String, Codable, Sendable, Hashable {
        /// The program exited with a code that is no success. ``ProgramError/exitCode`` is the code.
        case exited
        /// A signal killed the program. ``ProgramError/signal`` is its number.
        case signaled
        /// The program was not started, because it does not exist, or a file or a resource is missing.
        case notStarted
        /// The exit status of the program was lost.
        case statusLost
    }

    /// The kind of the error.
    public let code: Code
    /// The exit code, or nil if the program did not exit.
    public let exitCode: Int32?
    /// The number of the signal that killed the program, or nil if none did.
    public let signal: Int32?
    /// The first bytes of the standard output, at most ``ProgramJob/maximumOutputBytes``. The array is empty if the
    /// output went elsewhere, or if the program was not started.
    public let output: [UInt8]
    /// The number of bytes of output that were left out, because there were too many.
    public let omittedOutputBytes: Int
    /// The last bytes of the standard error, at most ``ProgramJob/maximumErrorBytes``.
    public let error: [UInt8]
    /// The number of bytes of the standard error that were left out, because there were too many.
    public let omittedErrorBytes: Int
    /// A sentence that says what happened and what to do next.
    public let message: String

    /// Whether SIGKILL ended the program, or the program that a shell ran, whose exit code then is 128 plus the signal.
    var wasKilled: Bool { signal == SIGKILL || exitCode == 128 + SIGKILL }

    /// The output as text. Bytes that are not UTF-8 are replaced.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// The standard error as text. Bytes that are not UTF-8 are replaced.
    public var errorText: String { String(decoding: error, as: UTF8.self) }
    /// The message.
    public var description: String { message }
}

/// The errors of programs, in one place.
extension ProgramError {
    /// The number of bytes of the last line of output that a message has at most.
    private static let maximumLineInMessage = 512

    static func exited(_ program: String, _ exitCode: Int32, _ outputs: ProgramOutputs) -> ProgramError {
        let text = "\(program) exited with code \(exitCode).\(lastLine(of: outputs.error.bytes))"
        return ProgramError(.exited, exitCode: exitCode, outputs, text)
    }

    static func signaled(_ program: String, _ number: Int32, _ outputs: ProgramOutputs) -> ProgramError {
        let text = "\(program) was \(Interruption.Cause.signal(number)).\(lastLine(of: outputs.error.bytes))"
        return ProgramError(.signaled, signal: number, outputs, text)
    }

    static func notFound(_ program: String) -> ProgramError {
        notStarted("There is no program \"\(program)\" in PATH. Install it, or give its path.")
    }

    static func notStarted(_ message: String) -> ProgramError { ProgramError(.notStarted, nil, message) }

    static func statusLost(_ program: String, _ reason: String, _ outputs: ProgramOutputs) -> ProgramError {
        ProgramError(.statusLost, outputs, "How \(program) ended is not known: \(reason).")
    }

    private init(
        _ code: Code,
        exitCode: Int32? = nil,
        signal: Int32? = nil,
        _ outputs: ProgramOutputs?,
        _ message: String
    ) {
        self.code = code
        self.exitCode = exitCode
        self.signal = signal
        self.message = message
        output = outputs?.output.bytes ?? []
        omittedOutputBytes = outputs?.output.omitted ?? 0
        error = outputs?.error.bytes ?? []
        omittedErrorBytes = outputs?.error.omitted ?? 0
    }

    private static func lastLine(of error: [UInt8]) -> String {
        guard let line = error.split(separator: UInt8(ascii: "\n")).last else { return "" }
        return " Its last line is: \(String(decoding: line.prefix(maximumLineInMessage), as: UTF8.self))"
    }
}

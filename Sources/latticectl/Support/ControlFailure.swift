import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// The failure of a command that looks into a coordinator: a sentence, and the exit code.
struct ControlFailure: Error {
    let message: String
    let code: Int32

    init(_ message: String, code: Int32) {
        self.message = message
        self.code = code
    }

    init(_ error: ControlError) {
        let code: Int32 =
            switch error.code {
            case .refused: 2
            case .notFound, .notPossible: 3
            case .unknownSection, .unknownSortKey, .invalid: ExitCode.validationFailure.rawValue
            default: 1
            }
        self.init(error.message, code: code)
    }

    /// Runs a command, and prints its failure.
    ///
    /// - Throws: `ExitCode` after a failure.
    static func reporting(_ body: () async throws -> Void) async throws {
        let failure: ControlFailure
        do {
            return try await body()
        } catch let error as ControlError {
            failure = ControlFailure(error)
        } catch let error as ControlFailure {
            failure = error
        }
        Console.say("latticectl: \(DescriptionValue.printable(failure.message))")
        throw ExitCode(failure.code)
    }
}

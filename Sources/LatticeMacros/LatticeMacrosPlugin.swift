import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that the module `Lattice` declares, by the names of their types.
struct LatticeMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CasePathableMacro.self,
        InteractorMacro.self,
        ObservableStateMacro.self,
        ObservationStateIgnoredMacro.self,
        ObservationStateTrackedMacro.self,
        PatchableMacro.self,
        StableNamesMacro.self,
        ViewStateReducerMacro.self,
    ]
}

/// The program. The compiler starts it without arguments, and you can run its command `expand` by hand.
@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "expand" else { return try LatticeMacrosPlugin.main() }
        var source = ""
        while let line = readLine(strippingNewline: false) { source += line }
        let fields = try ExpandCommand(arguments.dropFirst()).fields(for: source)
        print(fields.map { $0 + "\0" }.joined(), terminator: "")
    }
}

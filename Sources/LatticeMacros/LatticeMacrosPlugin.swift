import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that module `Lattice` declares, each by the name of its type.
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

/// The program that the compiler starts without arguments, and that `expand` lets you run by hand.
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

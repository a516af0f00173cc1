import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler starts: the macros that module `Lattice` declares, each by the name of its type.
@main
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

import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import LatticeMacros

extension [String: MacroSpec] {
    /// The macro alone, for a type without coding.
    static let observableState = specs(missing: ["ObservableState", "Encodable", "Decodable"])

    /// For a type that is Codable.
    static let codableObservableState = specs(missing: ["ObservableState"])

    /// For a type that declares its conformance itself.
    static let conformingObservableState = specs(missing: ["Encodable", "Decodable"])

    /// The mark of a single property, which `@ObservableState` leaves behind.
    static let observationStateTracked: [String: MacroSpec] = [
        "ObservationStateTracked": MacroSpec(type: ObservationStateTrackedMacro.self),
        "ObservationStateIgnored": MacroSpec(type: ObservationStateIgnoredMacro.self),
    ]

    private static func specs(missing: [String]) -> [String: MacroSpec] {
        let conformances = missing.map { TypeSyntax(IdentifierTypeSyntax(name: .identifier($0))) }
        return ["ObservableState": MacroSpec(type: ObservableStateMacro.self, conformances: conformances)]
    }
}

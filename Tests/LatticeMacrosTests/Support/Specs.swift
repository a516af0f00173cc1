extension [ExpandedMacro] {
    /// The macros of Lattice by the names under which clients use them, also with the module's name.
    static let lattice: Self = names.map { ExpandedMacro(name: $0, conformances: [$0]) }

    /// All macros, for types that declare their conformances themselves, so that the macros add none.
    static let latticeWithoutConformances: Self = names.map { ExpandedMacro(name: $0) }

    static let patchable = lattice.filter { $0.name == "Patchable" }

    /// The macro for a type that declares its conformance itself.
    static let conformingPatchable = latticeWithoutConformances.filter { $0.name == "Patchable" }

    static let stableNames = latticeWithoutConformances.filter { $0.name == "StableNames" }

    /// The macro alone, for a type without coding.
    static let observableState = [
        ExpandedMacro(name: "ObservableState", conformances: ["ObservableState", "Encodable", "Decodable"])
    ]

    /// The macro for a type that is Codable.
    static let codableObservableState = [ExpandedMacro(name: "ObservableState", conformances: ["ObservableState"])]

    /// The macro for a type that declares its conformance itself.
    static let conformingObservableState = [
        ExpandedMacro(name: "ObservableState", conformances: ["Encodable", "Decodable"])
    ]

    /// The mark of a single property, which `@ObservableState` leaves behind.
    static let observationStateTracked = [
        ExpandedMacro(name: "ObservationStateTracked"), ExpandedMacro(name: "ObservationStateIgnored"),
    ]

    private static let names = ["CasePathable", "Interactor", "Patchable", "StableNames", "ViewStateReducer"]
}

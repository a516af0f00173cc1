import ArgumentParser
import LatticeControl

/// The options that choose an instance of a feature.
struct FeatureSelection: ParsableArguments {
    @Argument(help: "The identifier of the feature. latticectl describe instances lists the open ones.")
    var feature: String

    @Option(name: [.short, .long], help: "The key of the instance. It is created if it does not exist.")
    var instance = ""

    @OptionGroup var selection: CoordinatorSelection

    func validate() throws {
        guard !feature.isEmpty else { throw ValidationError("The feature needs a name.") }
    }

    /// Opens the instance for the duration of a closure, and prints what goes wrong.
    ///
    /// - Parameters:
    ///   - asksQuestions: Whether the closure asks questions.
    ///   - showsCauses: Whether states come with the events that they contain.
    ///   - body: The closure.
    func open(
        asksQuestions: Bool = false,
        showsCauses: Bool = false,
        _ body: (UntypedFeature) async throws -> Void
    ) async throws {
        try await ControlFailure.reporting {
            let path = try await selection.path()
            try await withUntypedFeature(
                feature,
                instance: instance,
                connectingTo: path,
                timeout: selection.patience,
                asksQuestions: asksQuestions,
                showsCauses: showsCauses,
                body
            )
        }
    }
}

/// The option that chooses a part of a state.
struct PathOption: ParsableArguments {
    @Option(
        help: "Only this part of the state, such as 'todos[3].title' or 'files[\"a.txt\"]'.",
        transform: { text in
            guard let path = ValuePath(text) else { throw ValidationError("\"\(text)\" is no path.") }
            return path
        }
    )
    var path = ValuePath()
}

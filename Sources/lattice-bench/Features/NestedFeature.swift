import LatticeCore

/// A counter at a depth of three scopes.
enum NestedFeature {
    struct Leaf: Equatable, Sendable { var count = 0 }
    struct Branch: Equatable, Sendable { var leaf = Leaf() }
    struct Stem: Equatable, Sendable { var branch = Branch() }
    struct State: Equatable, Sendable { var stem = Stem() }

    enum LeafAction: Sendable { case add }

    enum BranchAction: CasePathable, Sendable {
        case leaf(LeafAction)

        struct AllCasePaths {
            var leaf: AnyCasePath<BranchAction, LeafAction> {
                AnyCasePath(embed: { .leaf($0) }, extract: { if case .leaf(let action) = $0 { action } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    enum StemAction: CasePathable, Sendable {
        case branch(BranchAction)

        struct AllCasePaths {
            var branch: AnyCasePath<StemAction, BranchAction> {
                AnyCasePath(
                    embed: { .branch($0) },
                    extract: { if case .branch(let action) = $0 { action } else { nil } }
                )
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    enum Action: CasePathable, Sendable {
        case stem(StemAction)

        struct AllCasePaths {
            var stem: AnyCasePath<Action, StemAction> {
                AnyCasePath(embed: { .stem($0) }, extract: { if case .stem(let action) = $0 { action } else { nil } })
            }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    static var feature: Feature<Action, State, LocalFeature.Shown> {
        Feature(
            interactor: Interactors.When<State, Action, _>(state: \.stem, action: \.stem) {
                Interactors.When<Stem, StemAction, _>(state: \.branch, action: \.branch) {
                    Interactors.When<Branch, BranchAction, _>(state: \.leaf, action: \.leaf) {
                        Interact<Leaf, LeafAction> { leaf, _ in
                            leaf.count += 1
                            return .none
                        }
                    }
                }
            },
            reducer: BuildViewState<State, LocalFeature.Shown>(initial: { _ in .init() }) { state, shown in
                shown.count = state.stem.branch.leaf.count
                shown.isEven = shown.count.isMultiple(of: 2)
            }
        )
    }
}

/// Composes the interactors of a `body`: statements run in their order, on the same state.
@resultBuilder
public enum InteractorBuilder<State: Sendable, Action: Sendable> {
    public static func buildArray<I: Interactor<State, Action>>(_ interactors: [I]) -> Interactors.MergeMany<I> {
        Interactors.MergeMany(interactors: interactors)
    }

    public static func buildBlock() -> EmptyInteractor<State, Action> {
        EmptyInteractor()
    }

    public static func buildBlock<I: Interactor<State, Action>>(_ interactor: I) -> I {
        interactor
    }

    public static func buildBlock<I: Interactor<State, Action>>(_ interactors: I...) -> Interactors.MergeMany<I> {
        Interactors.MergeMany(interactors: interactors)
    }

    public static func buildEither<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        first interactor: I0
    ) -> Interactors.Conditional<I0, I1> {
        .first(interactor)
    }

    public static func buildEither<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        second interactor: I1
    ) -> Interactors.Conditional<I0, I1> {
        .second(interactor)
    }

    /// - Parameter type: never passed. It keeps the compiler from opening an `any` here and failing later, so that an
    ///   `any` finds its own overload.
    public static func buildExpression<I: Interactor<State, Action>>(_ interactor: I, _ type: I.Type = I.self) -> I {
        interactor
    }

    @_disfavoredOverload
    public static func buildExpression(
        _ interactor: any Interactor<State, Action> & Sendable
    ) -> AnyInteractor<State, Action> {
        interactor.eraseToAnyInteractor()
    }

    /// An `any` that is not known to be `Sendable` stays so: what contains it is not `Sendable` either.
    @_disfavoredOverload
    public static func buildExpression(
        _ interactor: any Interactor<State, Action>
    ) -> Interactors.Existential<State, Action> {
        Interactors.Existential(interactor)
    }

    public static func buildFinalResult<I: Interactor<State, Action>>(_ interactor: I) -> I {
        interactor
    }

    public static func buildLimitedAvailability(
        _ interactor: some Interactor<State, Action> & Sendable
    ) -> AnyInteractor<State, Action> {
        AnyInteractor(interactor)
    }

    @_disfavoredOverload
    public static func buildLimitedAvailability(
        _ interactor: some Interactor<State, Action>
    ) -> Interactors.Existential<State, Action> {
        Interactors.Existential(interactor)
    }

    public static func buildOptional<I: Interactor<State, Action>>(
        _ interactor: I?
    ) -> Interactors.Conditional<I, EmptyInteractor<State, Action>> {
        if let interactor { .first(interactor) } else { .second(EmptyInteractor()) }
    }

    public static func buildPartialBlock<I: Interactor<State, Action>>(first interactor: I) -> I {
        interactor
    }

    public static func buildPartialBlock<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        accumulated: I0,
        next: I1
    ) -> Interactors.Merge<I0, I1> {
        Interactors.Merge(accumulated, next)
    }
}

extension Interactors {
    /// What a builder closure composes, as one interactor.
    public struct CollectInteractors<State: Sendable, Action: Sendable, Interactors: Interactor>: Interactor
    where State == Interactors.DomainState, Action == Interactors.Action {
        private let interactors: Interactors

        public init(@InteractorBuilder<State, Action> _ build: () -> Interactors) {
            self.interactors = build()
        }

        public func interact(state: inout State, action: Action) -> Emission<Action> {
            interactors.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<State, Action> {
            interactors._resolve()
        }
    }
}

extension Interactors.CollectInteractors: Sendable where Interactors: Sendable {}

extension Interactors {
    /// One of two interactors, decided when the `body` was built.
    public enum Conditional<First: Interactor, Second: Interactor<First.DomainState, First.Action>>: Interactor {
        case first(First)
        case second(Second)

        public func interact(state: inout First.DomainState, action: First.Action) -> Emission<First.Action> {
            switch self {
            case .first(let interactor): interactor.interact(state: &state, action: action)
            case .second(let interactor): interactor.interact(state: &state, action: action)
            }
        }

        public func _resolve() -> _ResolvedInteractor<First.DomainState, First.Action> {
            switch self {
            case .first(let interactor): interactor._resolve()
            case .second(let interactor): interactor._resolve()
            }
        }
    }
}

extension Interactors.Conditional: Sendable where First: Sendable, Second: Sendable {}

extension Interactors {
    /// An `any Interactor` in a `body`. Unlike ``AnyInteractor`` it is not `Sendable`.
    public struct Existential<State: Sendable, Action: Sendable>: Interactor {
        private let base: any Interactor<State, Action>

        public init(_ base: any Interactor<State, Action>) {
            self.base = base
        }

        public func interact(state: inout State, action: Action) -> Emission<Action> {
            base.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<State, Action> {
            base._resolve()
        }
    }
}

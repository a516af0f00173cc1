/// A result builder for the `body` of an interactor. The interactors run in their order, on the same state.
@resultBuilder
public enum InteractorBuilder<State: Sendable, Action: Sendable> {
    /// Combines the interactors of a `for` loop.
    public static func buildArray<I: Interactor<State, Action>>(_ interactors: [I]) -> Interactors.MergeMany<I> {
        Interactors.MergeMany(interactors: interactors)
    }

    /// Returns an interactor for an empty body, which ignores every action.
    public static func buildBlock() -> EmptyInteractor<State, Action> {
        EmptyInteractor()
    }

    /// Returns the only interactor of a block.
    public static func buildBlock<I: Interactor<State, Action>>(_ interactor: I) -> I {
        interactor
    }

    /// Combines several interactors of one type.
    public static func buildBlock<I: Interactor<State, Action>>(_ interactors: I...) -> Interactors.MergeMany<I> {
        Interactors.MergeMany(interactors: interactors)
    }

    /// Returns the interactor of an `if` branch.
    public static func buildEither<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        first interactor: I0
    ) -> Interactors.Conditional<I0, I1> {
        .first(interactor)
    }

    /// Returns the interactor of an `else` branch.
    public static func buildEither<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        second interactor: I1
    ) -> Interactors.Conditional<I0, I1> {
        .second(interactor)
    }

    /// Returns an interactor of a concrete type.
    ///
    /// - Parameters:
    ///   - interactor: The interactor, which is returned unchanged.
    ///   - type: Never passed. The parameter keeps the compiler from opening an `any` here and failing later, so that
    ///     it selects the overload for an `any`.
    public static func buildExpression<I: Interactor<State, Action>>(_ interactor: I, _ type: I.Type = I.self) -> I {
        interactor
    }

    /// Erases the type of an `any Interactor & Sendable`.
    @_disfavoredOverload
    public static func buildExpression(
        _ interactor: any Interactor<State, Action> & Sendable
    ) -> AnyInteractor<State, Action> {
        interactor.eraseToAnyInteractor()
    }

    /// Wraps an `any Interactor` that is not known to be `Sendable`. The interactor that contains it is not `Sendable`
    /// either.
    @_disfavoredOverload
    public static func buildExpression(
        _ interactor: any Interactor<State, Action>
    ) -> Interactors.Existential<State, Action> {
        Interactors.Existential(interactor)
    }

    /// Returns the interactor of the whole body.
    public static func buildFinalResult<I: Interactor<State, Action>>(_ interactor: I) -> I {
        interactor
    }

    /// Erases the type of an interactor in an `if #available` block.
    public static func buildLimitedAvailability(
        _ interactor: some Interactor<State, Action> & Sendable
    ) -> AnyInteractor<State, Action> {
        AnyInteractor(interactor)
    }

    /// Erases the type of an interactor in an `if #available` block, if it is not known to be `Sendable`.
    @_disfavoredOverload
    public static func buildLimitedAvailability(
        _ interactor: some Interactor<State, Action>
    ) -> Interactors.Existential<State, Action> {
        Interactors.Existential(interactor)
    }

    /// Returns the interactor of an `if` without `else`.
    public static func buildOptional<I: Interactor<State, Action>>(
        _ interactor: I?
    ) -> Interactors.Conditional<I, EmptyInteractor<State, Action>> {
        if let interactor { .first(interactor) } else { .second(EmptyInteractor()) }
    }

    /// Returns the first interactor of a block.
    public static func buildPartialBlock<I: Interactor<State, Action>>(first interactor: I) -> I {
        interactor
    }

    /// Combines the interactors of a block so far with the next one.
    public static func buildPartialBlock<I0: Interactor<State, Action>, I1: Interactor<State, Action>>(
        accumulated: I0,
        next: I1
    ) -> Interactors.Merge<I0, I1> {
        Interactors.Merge(accumulated, next)
    }
}

extension Interactors {
    /// The interactors of a builder closure, combined into one interactor.
    public struct CollectInteractors<State: Sendable, Action: Sendable, Interactors: Interactor>: Interactor
    where State == Interactors.DomainState, Action == Interactors.Action {
        private let interactors: Interactors

        /// Creates an interactor from a builder closure.
        public init(@InteractorBuilder<State, Action> _ build: () -> Interactors) {
            self.interactors = build()
        }

        /// Forwards the action to the combined interactors.
        public func interact(state: inout State, action: Action) -> Emission<Action> {
            interactors.interact(state: &state, action: action)
        }

        /// Returns the resolved form of the combined interactors.
        public func _resolve() -> _ResolvedInteractor<State, Action> {
            interactors._resolve()
        }
    }
}

extension Interactors.CollectInteractors: Sendable where Interactors: Sendable {}

extension Interactors {
    /// One of two interactors, which is selected when the `body` is built.
    public enum Conditional<First: Interactor, Second: Interactor<First.DomainState, First.Action>>: Interactor {
        /// The interactor of the `if` branch.
        case first(First)
        /// The interactor of the `else` branch.
        case second(Second)

        /// Forwards the action to the interactor of the selected branch.
        public func interact(state: inout First.DomainState, action: First.Action) -> Emission<First.Action> {
            switch self {
            case .first(let interactor): interactor.interact(state: &state, action: action)
            case .second(let interactor): interactor.interact(state: &state, action: action)
            }
        }

        /// Returns the resolved form of the interactor of the selected branch.
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
    /// An `any Interactor` in a `body`. Unlike ``AnyInteractor``, it is not `Sendable`.
    public struct Existential<State: Sendable, Action: Sendable>: Interactor {
        private let base: any Interactor<State, Action>

        /// Wraps an interactor.
        public init(_ base: any Interactor<State, Action>) {
            self.base = base
        }

        /// Forwards the action to the wrapped interactor.
        public func interact(state: inout State, action: Action) -> Emission<Action> {
            base.interact(state: &state, action: action)
        }

        /// Returns the resolved form of the wrapped interactor.
        public func _resolve() -> _ResolvedInteractor<State, Action> {
            base._resolve()
        }
    }
}

extension FeatureRuntime {
    /// What a turn still has to do.
    enum Step {
        case emission(Emission<Action>, EffectScope<Action>?, CancelGroup<Action>?)
        /// Begin the next step of an append.
        case next(EffectScope<Action>)
        /// What is synchronous in a step of an append is done.
        case filled(EffectScope<Action>)
        /// What is synchronous in a `cancellable` is done.
        case leave(CancelGroup<Action>)
        case end(Effect<Action>)
    }

    func push(_ step: Step) {
        steps.append(step)
        stepCount += 1
    }

    /// Does one step of a turn. Steps push others instead of calling themselves, so no chain is too deep.
    func perform(_ step: Step) {
        switch step {
        case .emission(let emission, let scope, let group): perform(emission, scope, group)
        case .next(let scope): fill(scope)
        case .filled(let scope): release(scope)
        case .leave(let group): drop(group)
        case .end(let effect): end(effect)
        }
    }

    private func perform(
        _ emission: Emission<Action>,
        _ scope: EffectScope<Action>?,
        _ group: CancelGroup<Action>?
    ) {
        if let starter = emission.starter { return register(.starting(starter), scope, group) }
        switch emission.kind {
        case .none:
            break
        case .action(let action):
            apply(action, in: scope)
        case .perform(let work):
            register(.perform(work), scope, group)
        case .attempt(let work):
            register(.perform(work), scope, group)
        case .run(let work):
            register(.run(work), scope, group)
        case .observe(let stream):
            register(.observe(stream), scope, group)
        case .merge(let children):
            for child in children.reversed() { push(.emission(child, scope, group)) }
        case .append(let children):
            // Its first unit is its own, given back when the last step has ended.
            release(EffectScope(steps: children, in: scope ?? rootScope(), group: group))
        case .cancellable(let inner, let id, let cancelInFlight):
            if cancelInFlight { cancelEffects(id) }
            let group = CancelGroup(id: id, outer: group)
            groups[id, default: []].append(group)
            if id.isScope {
                scopeCount += 1
                hasNewScope = true
            }
            push(.leave(group))
            push(.emission(inner, scope, group))
        case .cancel(let id):
            cancelEffects(id)
        }
    }

    private func register(_ work: Effect<Action>.Work, _ scope: EffectScope<Action>?, _ group: CancelGroup<Action>?) {
        let scope = scope ?? rootScope()
        guard group?.isCancelled != true else { return }
        let effect = Effect(id: makeID(), work: work, scope: scope, group: group)
        scope.pending += 1
        group?.insert(effect)
        scope.keep(effect)
        hold(effect)
    }

    /// Begins the next step of an append.
    private func fill(_ scope: EffectScope<Action>) {
        guard let next = scope.steps.popFirst() else { return }
        scope.pending += 1
        // Below the step on the stack, so that it comes when everything synchronous in the step is done.
        push(.filled(scope))
        push(.emission(next, scope, scope.group))
    }

    /// Ends an effect: nothing waits for it any more.
    func end(_ effect: Effect<Action>) {
        guard !effect.hasEnded else { return }
        effect.hasEnded = true
        if let group = effect.group {
            group.remove(effect)
            drop(group)
        }
        effect.scope.drop(effect)
        release(effect.scope)
    }

    /// Gives up one use of a group.
    func drop(_ group: CancelGroup<Action>) {
        for unused in group.release() {
            if unused.id.isScope { scopeCount -= 1 }
            groups[unused.id]?.removeAll { $0 === unused }
            if groups[unused.id]?.isEmpty == true { groups[unused.id] = nil }
        }
    }

    /// Cancels the effects of children whose part of the state is gone.
    func endScopes(isTurnOver: Bool) {
        var sweep = ScopeSweep(isTurnOver: isTurnOver) { self.groups[$0] != nil }
        interactor.sweep?(state, &sweep)
        for scope in sweep.ended { cancelEffects(scope) }
    }

    private func cancelEffects(_ id: EffectID) {
        for group in groups[id] ?? [] {
            let (effects, appends) = group.cancel()
            // One that is in its last step loses nothing but that step's effects: so a step may begin the append anew.
            for append in appends where !append.steps.isEmpty {
                append.hasFailed = true
                append.tree.noteCancellation()
            }
            for effect in effects {
                effect.wasCancelled = true
                // As after an error: what was to follow it does not. What follows a child that has left its part of the
                // state is its parent's business.
                if !id.isScope { effect.scope.hasFailed = true }
                effect.tree.cancel(effect: effect.id)
                end(effect)
            }
        }
    }
}

extension EffectScope {
    /// Whether a step waits that may still start.
    var canStartNextStep: Bool {
        !steps.isEmpty && !hasFailed && !tree.isOver && group?.isCancelled != true
    }
}

import IssueReporting
import Synchronization

/// The interactors of a collection's elements, as a runtime keeps them: one for each element, so that what an
/// interactor keeps to itself, as a debounce does, belongs to that element.
///
/// An element's interactor is made with its first action and goes with the element.
final class ElementTrees<Root: Sendable, ID: Hashable & Sendable, Element: Sendable, Action: Sendable> {
    private final class Tree {
        let interactor: _ResolvedInteractor<Element, Action>
        /// What the element's effects belong to, if they end with it.
        let effects: EffectID?
        /// Whether it has asked for effects since they were last known to have ended.
        var isActive = false
        /// Whether the interactor may keep something of the actions that it has handled.
        var mayKeep = false
        /// The first look after its last action; nil: nobody has looked.
        var lookedAfter: UInt64?

        init(_ interactor: _ResolvedInteractor<Element, Action>, effects: EffectID?) {
            self.interactor = interactor
            self.effects = effects
        }
    }

    private let access: ElementsPath<Root, ID, Element>.Access
    private let endsEffects: Bool
    private let resolve: () -> _ResolvedInteractor<Element, Action>
    private var trees: [KeyIdentity<ID>: Tree] = [:]
    /// Those of elements that are gone, while effects of theirs may be about to start.
    private var orphans: [Tree] = []
    private var treeCount = 0
    /// Those that may keep something: each has to be missed as soon as its element is gone.
    private var keepingCount = 0
    private var lastCount = 0

    init(
        _ path: ElementsPath<Root, ID, Element>,
        endsEffects: Bool,
        resolve: @escaping () -> _ResolvedInteractor<Element, Action>
    ) {
        access = path.makeAccess()
        self.endsEffects = endsEffects
        self.resolve = resolve
    }

    /// Elements that have an interactor.
    var count: Int { trees.count }

    /// Lets an element handle an action.
    /// - Returns: what it emitted, as part of the scope that its effects end with; nil if the element is not there.
    func interact(_ root: inout Root, _ id: ID, _ action: Action) -> Emission<Action>? {
        var emission = Emission<Action>.none
        let isPresent = access.modify(&root, id) { emission = self.interact(&$0, id, action) }
        return isPresent ? emission : nil
    }

    private func interact(_ element: inout Element, _ id: ID, _ action: Action) -> Emission<Action> {
        let tree = trees[KeyIdentity(id)] ?? makeTree(id)
        let emission = tree.interactor.handler(&element, action)
        if let keeps = tree.interactor.keeps, keeps(emission.hasEffects ? .later : .anything) { noteKeeping(tree) }
        guard emission.hasEffects else { return emission }
        tree.isActive = true
        return emission.scoped(tree.effects)
    }

    private func noteKeeping(_ tree: Tree) {
        tree.lookedAfter = nil
        guard !tree.mayKeep else { return }
        tree.mayKeep = true
        keepingCount += 1
        KeepingElements.noteBegun()
    }

    /// Whether an element has an interactor that may keep something.
    var hasKeeping: Bool { keepingCount > 0 }

    private func makeTree(_ id: ID) -> Tree {
        let tree = Tree(resolve(), effects: endsEffects ? .makeScope() : nil)
        trees[KeyIdentity(id)] = tree
        treeCount += 1
        return tree
    }

    /// Lets go of elements that are gone. Costs little while none is.
    func prune(_ root: Root) {
        let count = access.count(root)
        // Fewer elements than before, or than are known: some are gone. Those that others have replaced one for one
        // are found when there are too many; or by `sweep`, if their interactors keep something.
        if count < lastCount || count < treeCount {
            for id in trees.keys.map(\.id) where !isPresent(id, in: root) { drop(id) }
        }
        lastCount = count
    }

    /// Ends the effects of elements that are gone, lets go of their interactors, and looks for children that are gone
    /// in the others.
    func sweep(_ root: Root?, _ sweep: inout ScopeSweep) {
        for (identity, tree) in trees where tree.isActive || tree.mayKeep {
            let id = identity.id
            guard let root, isPresent(id, in: root) else {
                drop(id)
                continue
            }
            if tree.mayKeep { updateKeeping(tree, sweep) }
            if let scope = tree.effects, sweep.isTurnOver, !sweep.isLive(scope) {
                // Nothing of it runs, children included.
                tree.isActive = false
            } else if let look = tree.interactor.sweep {
                _ = access.inspect(root, id) { look($0, &sweep) }
            }
        }
        for tree in orphans {
            if let scope = tree.effects { sweep.end(scope) }
            tree.interactor.sweep?(nil, &sweep)
        }
        if sweep.isTurnOver { orphans = [] }
    }

    private func updateKeeping(_ tree: Tree, _ sweep: ScopeSweep) {
        guard let first = tree.lookedAfter else {
            tree.lookedAfter = sweep.turn
            return
        }
        // In the turn of an action its effects have not started yet; held ones may start later.
        guard first != sweep.turn, tree.interactor.keeps?(.anything) != true else { return }
        if let scope = tree.effects, sweep.isLive(scope) { return }
        tree.mayKeep = false
        keepingCount -= 1
    }

    private func isPresent(_ id: ID, in root: Root) -> Bool {
        access.inspect(root, id) { _ in }
    }

    private func drop(_ id: ID) {
        guard let tree = trees.removeValue(forKey: KeyIdentity(id)) else { return }
        treeCount -= 1
        if tree.mayKeep { keepingCount -= 1 }
        if tree.isActive, tree.effects != nil { orphans.append(tree) }
    }
}

/// How many times an interactor of an element has begun to keep something, in this process. A runtime asks its own
/// interactor only when the number has grown: to look through all that it is made of takes as long as a small turn.
enum KeepingElements {
    private static let count = Atomic<UInt64>(0)

    static var begun: UInt64 { count.load(ordering: .relaxed) }

    static func noteBegun() {
        count.add(1, ordering: .relaxed)
    }
}

extension _ResolvedInteractor {
    /// The interactors of elements as one of their parent.
    static func elements<ID, Element, ElementAction>(
        _ trees: ElementTrees<DomainState, ID, Element, ElementAction>,
        action path: AnyCasePath<Action, IdentifiedAction<ID, ElementAction>>,
        reportsMissing: Bool
    ) -> Self {
        Self(sweep: { trees.sweep($0, &$1) }, keeps: { _ in trees.hasKeeping }) { state, action in
            trees.prune(state)
            var emission = Emission<Action>.none
            var parentAction = action
            _ = path.modification(&parentAction) { element in
                let id = element.id
                guard let emitted = trees.interact(&state, id, element.action) else {
                    if reportsMissing { reportMissing(action) }
                    return
                }
                if emitted.isNone { return }
                emission = emitted.map { path.embed(.element(id: id, action: $0)) }
            }
            return emission
        }
    }
}

private func reportMissing<Action>(_ action: Action) {
    reportIssue(
        """
        \(Action.self) was ignored: \(action). The element that it is for is not there. \
        Send it only while the element is there, or leave out reportsMissing if it may come late.
        """
    )
}

import IssueReporting
import LatticeCollections
import Synchronization

/// The interactors of a collection's elements, as a runtime stores them. Each element has its own interactor, so the
/// private state of an interactor, for example of a debounce, belongs to that element.
///
/// An element's interactor is created with its first action and removed with the element.
final class ElementTrees<Root: Sendable, ID: Hashable & Sendable, Element: Sendable, Action: Sendable> {
    private final class Tree {
        let interactor: _ResolvedInteractor<Element, Action>
        /// The scope of the element's effects, or nil if they do not end with the element.
        let effects: EffectID?
        /// Whether effects of the element may be running: it has requested effects since they were last known to have
        /// ended.
        var isActive = false
        /// Whether the interactor may keep state that results from the actions it has handled.
        var mayRetain = false
        /// The turn of the first sweep after the element's last action, or nil if there has been none.
        var firstSweepTurn: UInt64?

        init(_ interactor: _ResolvedInteractor<Element, Action>, effects: EffectID?) {
            self.interactor = interactor
            self.effects = effects
        }
    }

    private let access: ElementsPath<Root, ID, Element>.Access
    private let endsEffects: Bool
    private let resolve: () -> _ResolvedInteractor<Element, Action>
    private var trees: [KeyIdentity<ID>: Tree] = [:]
    /// The interactors of removed elements whose effects may still be about to start.
    private var orphans: [Tree] = []
    private var treeCount = 0
    /// The number of interactors that may keep state. Each of them must be removed as soon as its element is removed.
    private var retainingCount = 0
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

    /// The number of elements that have an interactor.
    var count: Int { trees.count }

    /// Passes an action to an element.
    /// - Returns: The element's emission, in the scope with which its effects end, or nil if the element does not
    ///   exist.
    func interact(_ root: inout Root, _ id: ID, _ action: Action) -> Emission<Action>? {
        var emission = Emission<Action>.none
        let isPresent = access.modify(&root, id) { emission = self.interact(&$0, id, action) }
        return isPresent ? emission : nil
    }

    private func interact(_ element: inout Element, _ id: ID, _ action: Action) -> Emission<Action> {
        let tree = trees[KeyIdentity(id)] ?? makeTree(id)
        let emission = tree.interactor.handler(&element, action)
        if let retains = tree.interactor.retains, retains(emission.hasEffects ? .later : .anything) {
            noteRetaining(tree)
        }
        guard emission.hasEffects else { return emission }
        tree.isActive = true
        return emission.scoped(tree.effects)
    }

    private func noteRetaining(_ tree: Tree) {
        tree.firstSweepTurn = nil
        guard !tree.mayRetain else { return }
        tree.mayRetain = true
        retainingCount += 1
        RetainingElements.noteBegun()
    }

    /// Whether any element has an interactor that may keep state.
    var hasRetainingElements: Bool { retainingCount > 0 }

    private func makeTree(_ id: ID) -> Tree {
        let tree = Tree(resolve(), effects: endsEffects ? .makeScope() : nil)
        trees[KeyIdentity(id)] = tree
        treeCount += 1
        return tree
    }

    /// Drops the interactors of removed elements. The cost is small while no element has been removed.
    func prune(_ root: Root) {
        let count = access.count(root)
        // If there are fewer elements than before, or than there are interactors, some elements have been removed.
        // Elements that were replaced one for one are found when there are too many interactors, or by `sweep` if their
        // interactors keep state.
        if count < lastCount || count < treeCount {
            for id in trees.keys.map(\.id) where !isPresent(id, in: root) { drop(id) }
        }
        lastCount = count
    }

    /// Ends the effects of removed elements, drops their interactors, and looks for removed children in the others.
    func sweep(_ root: Root?, _ sweep: inout ScopeSweep) {
        for (identity, tree) in trees where tree.isActive || tree.mayRetain {
            let id = identity.id
            guard let root, isPresent(id, in: root) else {
                drop(id)
                continue
            }
            if tree.mayRetain { updateRetaining(tree, sweep) }
            if let scope = tree.effects, sweep.isTurnOver, !sweep.isLive(scope) {
                // None of the element's effects runs, including those of its children.
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

    private func updateRetaining(_ tree: Tree, _ sweep: ScopeSweep) {
        guard let first = tree.firstSweepTurn else {
            tree.firstSweepTurn = sweep.turn
            return
        }
        // The effects of an action have not started in its own turn, and held effects may start later.
        guard first != sweep.turn, tree.interactor.retains?(.anything) != true else { return }
        if let scope = tree.effects, sweep.isLive(scope) { return }
        tree.mayRetain = false
        retainingCount -= 1
    }

    private func isPresent(_ id: ID, in root: Root) -> Bool {
        access.inspect(root, id) { _ in }
    }

    private func drop(_ id: ID) {
        guard let tree = trees.removeValue(forKey: KeyIdentity(id)) else { return }
        treeCount -= 1
        if tree.mayRetain { retainingCount -= 1 }
        if tree.isActive, tree.effects != nil { orphans.append(tree) }
    }
}

/// The number of times that an interactor of an element has begun to keep state, in this process.
///
/// A runtime inspects its own interactor only when this number has grown, because walking through all parts of an
/// interactor takes as long as a small turn.
enum RetainingElements {
    private static let count = Atomic<UInt64>(0)

    static var begun: UInt64 { count.load(ordering: .relaxed) }

    static func noteBegun() {
        count.add(1, ordering: .relaxed)
    }
}

extension _ResolvedInteractor {
    /// Combines the interactors of elements into an interactor of their parent.
    static func elements<ID, Element, ElementAction>(
        _ trees: ElementTrees<DomainState, ID, Element, ElementAction>,
        action path: AnyCasePath<Action, IdentifiedAction<ID, ElementAction>>,
        reportsMissing: Bool
    ) -> Self {
        Self(sweep: { trees.sweep($0, &$1) }, retains: { _ in trees.hasRetainingElements }) { state, action in
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
        The action \(Action.self) was ignored: \(action). The collection does not contain its element. \
        Send it only while the element exists, or omit reportsMissing if the action may arrive late.
        """
    )
}

public import Lattice
import Testing

// Enums of every kind that the macro has to compile for, and what their case paths do.

@CasePathable
@dynamicMemberLookup
private enum Everything {
    case idle
    case loaded(Int)
    case moved(x: Int, y: String)
    case renamed(to: String)
    case pair(_ first: Int, second: [Int])
    case optional(Int?)
    case tuple((Int, String))
    case function(@Sendable (Int) -> Int)
    case `default`
    case `self`(Int)
    case `two words`(Int)
    case defaulted(Int = 5)
    case inner(Inner)
    indirect case nested(Self)
    indirect case list([Self], Everything)
    #if DEBUG
    case configured(String)
    #elseif NEVER
    case never
    #else
    case configured(Int)
    #endif
    @available(*, deprecated) case old(Int)
    @available(*, unavailable) case gone(Int)

    struct Inner: Equatable {
        var value = 0
    }
}

@CasePathable
public enum PublicAction {
    case loaded(Int)
}

@CasePathable
package enum PackageAction {
    case loaded(Int)
}

public enum PublicFeature {}

extension PublicFeature {
    @CasePathable
    public enum Action<Value> {
        case loaded(Value)
        case other(PublicAction)
    }
}

private struct Outer<Element> {
    @CasePathable
    fileprivate enum Action<Value> {
        case element(Element)
        case value(Value)
        indirect case again(Self)
    }
}

@Lattice.CasePathable
private enum Declared: CasePathable {
    case one
}

@MainActor
private final class Handler {
    var count = 0
}

/// Isolated, and its case paths are not.
@MainActor
@CasePathable
private enum Isolated {
    case handler(Handler)
    case number(Int)
}

@available(*, deprecated)
@CasePathable
private enum Deprecated {
    case one(Int)
}

struct CasePathableMacroTests {
    private func reads<Value: Equatable>(
        _ path: CaseKeyPath<Everything, Value>,
        _ value: Value,
        as description: String,
        location: SourceLocation = #_sourceLocation
    ) {
        let path = AnyCasePath(path)
        let action = path.embed(value)
        #expect("\(action)" == description, sourceLocation: location)
        #expect(path.extract(from: action) == value, sourceLocation: location)
        #expect(path.extract(from: .function { $0 }) == nil, sourceLocation: location)
    }

    @Test func everyPayloadGoesInAndComesOut() {
        reads(\.loaded, 1, as: "loaded(1)")
        reads(\.renamed, "a", as: "renamed(to: \"a\")")
        reads(\.optional, nil, as: "optional(nil)")
        reads(\.`self`, 3, as: "self(3)")
        reads(\.defaulted, 5, as: "defaulted(5)")
        reads(\.nested.nested.renamed, "b", as: "\(Everything.nested(.nested(.renamed(to: "b"))))")
        #expect(Everything.`two words`(4).`two words` == 4)
        #expect(Everything.idle.is(\.idle) && !Everything.default.is(\.idle))
        #expect(Everything.default.default != nil)
    }

    @Test func severalValuesAreATupleWithTheirLabels() throws {
        var action = Everything.moved(x: 1, y: "a")
        #expect(action.moved?.x == 1)
        action.modify(\.moved) { $0.y = "b" }
        #expect("\(action)" == "moved(x: 1, y: \"b\")")
        action[case: \.pair] = (7, second: [8])
        let pair = try #require(action.pair)
        #expect(pair == (7, [8]))
        action[case: \.tuple] = (1, "one")
        #expect(action.tuple?.1 == "one")
        action[case: \.list] = ([.idle, .default], .loaded(1))
        #expect(action.list?.0.count == 2)
    }

    @Test func functionsAndNestedTypesArePayloads() {
        #expect(Everything.function { $0 * 2 }.function?(4) == 8)
        var action = Everything.inner(Everything.Inner())
        action.modify(\.inner) { $0.value = 2 }
        #expect(action.inner == Everything.Inner(value: 2))
    }

    @Test func casesUnderAConditionArePresent() {
        #if DEBUG
        #expect(Everything.configured("a").configured == "a")
        #else
        #expect(Everything.configured(1).configured == 1)
        #endif
    }

    @Test("The macro works for generic, nested and public enums")
    func visibilities() {
        let path: CaseKeyPath<PublicFeature.Action<[Int]>, Int> = \.other.loaded
        #expect(AnyCasePath(path).embed(3).is(\.other))
        #expect(PublicAction.loaded(1)[case: \.loaded] == 1)
        #expect(PackageAction.loaded(1)[case: \.loaded] == 1)
        let deep = Outer<Int>.Action<String>.again(.again(.value("a")))
        #expect(deep[case: \.again.again.value] == "a")
        #expect(deep[case: \.again.element] == nil)
        #expect(Declared.one.is(\.one))
    }

    @Test nonisolated func casePathsOfAnIsolatedEnumAreUsedAnywhere() {
        let path: AnyCasePath<Isolated, Int> = AnyCasePath(\.number)
        #expect(path.extract(from: path.embed(3)) == 3)
    }
}

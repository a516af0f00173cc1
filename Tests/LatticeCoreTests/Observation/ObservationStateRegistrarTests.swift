import Foundation
import LatticeCore
import Testing

@Suite struct ObservationStateRegistrarTests {
    @Test("An identity is two integers (W34)")
    func identityIsCheap() {
        #expect(MemoryLayout<ObservableStateID>.size == 16)
        #expect(_isPOD(ObservableStateID.self))
        #expect(MemoryLayout<ObservationStateRegistrar>.size == 24)
    }

    @Test func everyIdentityIsAnother() async {
        let ids = await withTaskGroup(of: [ObservableStateID].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<1000).map { _ in ObservableStateID() } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 4000)
    }

    @Test func identitiesOfValues() {
        #expect(ObservableStateID._$id(for: 1) == ObservableStateID._$id(for: "a"))
        let detail = Detail()
        #expect(ObservableStateID._$id(for: detail) == detail._$id)
        #expect(ObservableStateID._$id(for: detail as Any) == detail._$id)
        var changed = detail._$id
        changed._$willModify()
        #expect(changed != detail._$id)
        var plain = ObservableStateID._$plain
        plain._$willModify()
        #expect(plain == ._$plain)
    }

    @Test func tagsDistinguishCases() {
        let id = ObservableStateID()
        let tags = (0..<100).map { id._$tag($0) }
        let tagsOfTags = (0..<10).flatMap { outer in (0..<10).map { tags[$0]._$tag(outer) } }
        #expect(Set(tags + tagsOfTags + [id]).count == 201)
        #expect(id._$tag(3) == id._$tag(3))
    }

    @Test func identityEquality() {
        let detail = Detail()
        var same = detail
        same.text = "other"
        #expect(_$isIdentityEqual(detail, same))
        #expect(!_$isIdentityEqual(detail, Detail()))
        #expect(_$isIdentityEqual([detail, detail], [same, same]))
        #expect(!_$isIdentityEqual([detail], [same, same]))
        #expect(!_$isIdentityEqual([detail], [Detail()]))
        #expect(!_$isIdentityEqual("a", "a"))
        #expect(!_$isIdentityEqual(1, 1))
        #expect(_$isIdentityEqual(detail as Any, same as Any))
    }

    @Test func aNewNameOnRequest() {
        var detail = Detail(text: "a")
        let id = detail._$id
        _$willModify(&detail)
        #expect(detail._$id != id)
        var status = Status.loaded(detail)
        status._$willModify()
        #expect(status.loaded?._$id != detail._$id)
        #expect(status.loaded?.text == "a")
        var number = 1
        _$willModify(&number)
        #expect(number == 1)
    }

    @Test("== and hash ignore the bookkeeping (contract 35)")
    func equality() {
        #expect(Detail(text: "a") == Detail(text: "a"))
        #expect(Detail(text: "a") != Detail(text: "b"))
        #expect(ObservationStateRegistrar() == ObservationStateRegistrar())
        #expect(ObservationStateRegistrar().hashValue == ObservationStateRegistrar().hashValue)
    }

    @Test("A registrar encodes nothing, not even where the coding keys name it")
    func coding() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let detail = try encoder.encode(Detail(text: "a", count: 2))
        #expect(String(decoding: detail, as: UTF8.self) == #"{"_count":2,"_text":"a"}"#)
        #expect(try JSONDecoder().decode(Detail.self, from: detail) == Detail(text: "a", count: 2))
        let row = try encoder.encode(Row(1, "one"))
        #expect(String(decoding: row, as: UTF8.self) == #"{"id":1,"name":"one"}"#)
        #expect(try JSONDecoder().decode(Row.self, from: row) == Row(1, "one"))
    }

    @Test func sameValues() {
        #expect(_$isSameValue(1, 1))
        #expect(!_$isSameValue(1, 2))
        #expect(_$isSameValue(Double.nan, Double.nan))
        #expect(_$isSameValue(0.0, -0.0))
        #expect(_$isSameValue(Optional<Int>.none, nil))
        struct Odd: Sendable { var bytes: (UInt8, UInt8, UInt8) }
        #expect(_$isSameValue(Odd(bytes: (1, 2, 3)), Odd(bytes: (1, 2, 3))))
        #expect(!_$isSameValue(Odd(bytes: (1, 2, 3)), Odd(bytes: (1, 2, 4))))
        struct Wide: Sendable { var words: (Int, Int, UInt8) }
        #expect(!_$isSameValue(Wide(words: (1, 2, 3)), Wide(words: (1, 5, 3))))
        #expect(!_$isSameValue(1 as Any, "1" as Any))
    }
}

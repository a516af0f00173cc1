import LatticeProcess
import LatticeSession
import LatticeWire
import Testing

struct ExpectedBuildTests {
    @Test func aProgramsOwnBuildFitsIntoAMessage() {
        #expect(ProgramBuild.longest <= MessageLimits.maximumBuild)
    }

    @Test(
        arguments: [
            (.first, [[1]], .only([1])),
            (.first, [[1], [1]], .only([1])),
            (.first, [nil], .only(nil)),
            (.only([2]), [[2]], .only([2])),
            (.first, [], .first),
        ] as [(ExpectedBuild, [[UInt8]?], ExpectedBuild)]
    )
    func theFirstDecides(expected: ExpectedBuild, welcomed: [[UInt8]?], then: ExpectedBuild) {
        var expected = expected
        for build in welcomed { expected.welcome(build) }
        #expect(expected == then)
    }
}

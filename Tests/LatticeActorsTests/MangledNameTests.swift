import Testing

@testable import LatticeActors

@Suite struct MangledNameTests {
    @Test(
        "the type that a name belongs to",
        arguments: [
            ("4main4DeskC", "4main4DeskC"),
            ("4main4DeskC6DrawerC", "4main4DeskC6DrawerC"),
            ("4main4DeskC4openyS2iYaKFTE", "4main4DeskC"),
            ("4main3BoxCySiG", "4main3BoxC"),
            // With what tells private ones apart.
            (
                "4main4Desk33_8EFD95E3BF92B6EEC78C50E76206B33BLLC4openyyF",
                "4main4Desk33_8EFD95E3BF92B6EEC78C50E76206B33BLLC"
            ),
            // With words that were there before.
            ("4Desk0A5ActorC4openyyF", "4Desk0A5ActorC"),
            ("4main4DeskC0b7ForMainB0C4openyyF", "4main4DeskC0b7ForMainB0C"),
            // What is not ASCII.
            ("4main0010_Gre_yxaavaC4openyyF", "4main0010_Gre_yxaavaC"),
            ("", nil), ("4", nil), ("4main", nil), ("main", nil), ("0", nil), ("0A", nil), ("99main", nil),
            ("4main4DeskF", nil), ("4main0C", nil), ("00C", nil), ("5mainC", nil),
        ] as [(String, String?)]
    )
    func owner(name: String, owner: String?) {
        #expect(MangledName(name).owner == owner)
    }

    @Test(
        "what stands behind the type of a method of it",
        arguments: [
            ("4openyS2iYaKFTE", true),
            ("3add_2toS2i_SitYaKFTE", true),
            ("4open33_8EFD95E3BF92B6EEC78C50E76206B33BLLyyF", true),
            ("5other1E4openyyF", true),
            ("5otherE4openyyF", true),
            ("0a4This0yyF", true), ("0aB4ThisyyF", true),
            // Methods of what is inside of it.
            ("6DrawerC4openyyF", false),
            ("0b7ForMainB0C4openyyF", false),
            ("0010_Gre_yxaavaC4openyyF", false),
            ("5otherE6DrawerC4openyyF", false),
            ("6Drawer33_8EFD95E3BF92B6EEC78C50E76206B33BLLV4openyyF", false),
            // What is not understood.
            ("", false), ("y", false), ("AAC4openyyF", false), ("9open", false), ("0", false), ("4open", false),
            ("E4openyyF", false), ("5otherE", false), ("AAE4openyyF", false),
        ]
    )
    func rest(name: String, isMethod: Bool) {
        #expect(MangledName(name).isRestOfMethod == isMethod)
    }
}

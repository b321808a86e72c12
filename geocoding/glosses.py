"""Chinese words of place names with their usual English: numbers, colours, directions, nature.

General vocabulary, as any dictionary has it; no entry is the name of a place. English words
are compared by stem, a phrase counts when all its words stand in the name.
"""

from __future__ import annotations

from functools import cache

from geocoding import lexicon
from geocoding.names import words

_TEXT = """
一=one,first 二=two,second,twin 三=three,third 四=four 五=five 六=six 七=seven 八=eight 九=nine 十=ten
百=hundred 千=thousand 万=ten thousand,myriad 双=double,twin,two 十七=seventeen 十三=thirteen 半=half
东=east,eastern 西=west,western 南=south,southern 北=north,northern 中=middle,central,center,mid 上=upper,up
下=lower,down 内=inner 外=outer 前=front 后=back,rear 左=left 右=right 东方=oriental,east,eastern 中央=central
中心=center,centre,central 国际=international 国家=national,state 中国=china,chinese,national 全国=national
世界=world 环球=universal,global,world 亚洲=asia,asian 省=province,provincial 市=city,municipal 县=county
区=district,area 人民=people 民族=ethnic,nationality,national 民俗=folk,folk custom 首都=capital
天=heaven,sky,celestial 地=earth,ground 日=sun 月=moon 星=star 云=cloud 雨=rain 雪=snow 风=wind,breeze 雷=thunder
冰=ice 火=fire 水=water 光=light 春=spring 夏=summer 秋=autumn 冬=winter 夜=night 晨=morning 夕=sunset
太阳=sun 月亮=moon 长=long 大=great,big,grand,large 小=small,little,lesser 高=high,tall 低=low 宽=wide,broad
窄=narrow 深=deep 远=far,distant 近=near 新=new 老=old 古=old,ancient 旧=old,former 故=former,old
金=gold,golden 银=silver 铜=bronze,copper 铁=iron 石=stone,rock 玉=jade 珠=pearl 明珠=pearl 珍珠=pearl
红=red 黄=yellow 蓝=blue 绿=green 白=white 黑=black,dark 紫=purple,violet 青=green,blue,azure 翠=emerald,jade,green
丹=red 碧=green,azure,jade 彩=colorful 苍=green,dark 灰=gray
龙=dragon 凤=phoenix 凤凰=phoenix 虎=tiger 狮=lion 狮子=lion 象=elephant 马=horse 牛=ox,cow,bull 羊=goat,sheep,ram
猪=pig 狗=dog 鸡=rooster,cock 猴=monkey 鹿=deer 鹤=crane 鹅=goose 雁=goose 大雁=wild goose 鸟=bird 鱼=fish
龟=turtle,tortoise 蛇=snake 熊=bear 熊猫=panda 大熊猫=giant panda,panda 猫=cat 鹰=eagle 蝴蝶=butterfly 燕=swallow
鹦鹉=parrot 孔雀=peacock 骆驼=camel 狼=wolf 兔=rabbit 鼠=mouse,rat 鲸=whale 企鹅=penguin 海豚=dolphin
花=flower 树=tree 林=forest,grove,wood 森林=forest 竹=bamboo 松=pine 柳=willow 柏=cypress 枫=maple 桂=osmanthus
梅=plum 梅花=plum blossom 兰=orchid 菊=chrysanthemum 荷=lotus 荷花=lotus 莲=lotus 莲花=lotus 桃=peach
桃花=peach blossom 樱花=cherry blossom 牡丹=peony 玫瑰=rose 草=grass 草原=grassland 茶=tea 茶叶=tea 稻=rice
山=mountain,mount,hill,mt 丘=hill 峰=peak 岭=ridge,range,mountain 谷=valley 峡=gorge 峡谷=canyon,gorge 洞=cave,cavern
岩=rock,cliff 崖=cliff 坡=slope 原=plain 沙=sand 沙漠=desert 湖=lake 海=sea,lake 江=river 河=river 溪=stream,creek,brook
泉=spring 池=pool,pond 潭=pool,pond,lake 瀑布=waterfall,falls 潮=tide 浪=wave 岛=island,isle 洲=island,islet,isle
湾=bay 滩=beach,shoal 港=harbour,harbor,port 岸=bank,shore 渡=ferry 码头=pier,wharf,dock 渡口=ferry 湿地=wetland
湖泊=lake 水库=reservoir 运河=canal 大运河=grand canal 堤=causeway,dyke,dike 桥=bridge 江滩=river beach
温泉=hot spring 冰川=glacier 火山=volcano 天池=heavenly lake
城=city,town,wall 墙=wall 城墙=city wall,wall 长城=great wall,wall 门=gate 城门=city gate,gate 塔=pagoda,tower,stupa
楼=tower,building,pavilion,house 阁=pavilion,tower 亭=pavilion,kiosk 台=terrace,platform,stage,altar 坛=altar,temple
殿=hall,palace 堂=hall,church,temple 宫=palace,temple 院=courtyard,temple,monastery,academy,institute
府=mansion,house,palace 王府=prince mansion,mansion 祠=shrine,temple,memorial temple,ancestral hall
宗祠=ancestral hall 祠堂=ancestral hall 庙=temple 寺=temple,monastery 禅寺=temple,monastery,zen temple
庵=nunnery,temple 观=temple,taoist temple 道观=taoist temple 教堂=church,cathedral 大教堂=cathedral
清真寺=mosque 清真=muslim 陵=mausoleum,tomb 墓=tomb,grave 碑=monument,stele,tablet 纪念碑=monument,memorial
纪念馆=memorial hall,memorial,museum,memorial museum 纪念堂=memorial hall 纪念=memorial 故居=former residence,residence
旧居=former residence 旧址=site,former site 遗址=site,ruins,relics 会址=site 馆=hall,museum 博物馆=museum 博物院=museum
美术馆=art museum,art gallery,gallery 艺术馆=art museum,art gallery 艺术=art 美术=art 图书馆=library
科技馆=science and technology museum,science museum 科学=science 科学技术=science and technology 科技=science and technology
自然=natural,nature,natural history 历史=history,historical,historic 文化=culture,cultural 地质=geological,geology
天文馆=planetarium 天文台=observatory 展览馆=exhibition hall 展览中心=exhibition center 陈列馆=exhibition hall
水族馆=aquarium 海洋馆=aquarium,ocean world,oceanarium 海底世界=aquarium,underwater world 海洋世界=ocean world,aquarium 海洋=ocean,marine
极地=polar 动物园=zoo 野生动物园=safari park,wildlife park,wildlife zoo 野生动物=wildlife,safari 野生动物世界=safari park,wildlife world,wildlife park,wildlife zoo 野生=wild
动物=animal,zoo 植物园=botanical garden,botanic garden 植物=plant,botanical 花卉=flower 园=garden,park 花园=garden
园林=garden,classical garden 公园=park 森林公园=forest park 湿地公园=wetland park 国家公园=national park 主题公园=theme park
游乐园=amusement park 乐园=park,paradise,amusement park,land,theme park 水上乐园=water park 水世界=water world,water park 海世界=sea world,ocean world 雪世界=snow world 文旅城=cultural tourism city,tourism city 聚落=cluster 水上=water,aquatic
海洋公园=ocean park 欢乐=happy,joy,joyful 欢乐谷=happy valley 度假区=resort 度假村=resort,holiday village
广场=square,plaza 街=street 大街=street,avenue 路=road,street 大道=avenue,boulevard 巷=alley,lane 巷子=alley,lane
胡同=hutong,alley,lane 弄=lane 步行街=pedestrian street,walking street,street 古街=ancient street,old street
老街=old street 坊=quarter,lane,archway,workshop 里=lane,alley 古镇=ancient town,old town,water town,town 镇=town
小镇=town 古城=ancient city,old town,old city,ancient town 古村=ancient village,old village 村=village 水乡=water town
寨=village,fort 商业街=commercial street,shopping street 夜市=night market 市场=market 购物中心=shopping mall,shopping center
大厦=tower,building,mansion 大楼=building,mansion 仓库=warehouse 金融=financial,finance 贸易=trade 商城=mall 体育场=stadium
体育馆=gymnasium,stadium,arena 体育=sport 游泳=swimming,aquatic 游泳中心=aquatic center 剧院=theatre,theater
大剧院=grand theatre,grand theater,opera house,theatre,performing art centre,performing art center 剧场=theatre,theater 音乐=music 音乐厅=concert hall
歌剧院=opera house 大学=university 学院=college,academy 书院=academy 校区=campus 电视塔=tv tower,television tower
广播=radio 电视=tv,television 钟=bell,clock 鼓=drum 钟楼=bell tower,clock tower 鼓楼=drum tower
石窟=grottoes,caves 石刻=rock carving,stone carving,carving 石林=stone forest 雕刻=carving 雕塑=sculpture 佛=buddha
大佛=giant buddha,great buddha,buddha 卧佛=reclining buddha,sleeping buddha 观音=guanyin,goddess of mercy 罗汉=arhat
仙=fairy,immortal 神=god,spirit,sacred 圣=holy,saint,sacred 圣心=sacred heart 圣母=virgin mary 帝=emperor 皇=imperial,emperor
皇家=royal,imperial 皇帝=emperor 王=king,prince 王子=prince 公主=princess 将军=general 诗人=poet 英雄=hero
孔庙=confucius temple,confucian temple 文庙=confucius temple,confucian temple 孔子=confucius 关帝=guandi,guan yu
城隍=city god,town god 城隍庙=city god temple,town god temple 妈祖=mazu 天后=tianhou,queen of heaven
道教=taoist 佛教=buddhist 天主教=catholic 基督教=christian 喇嘛=lama
陶瓷=ceramic,porcelain 丝绸=silk 丝=silk 刺绣=embroidery 玉器=jade
军事=military 海军=naval,navy 航空=aviation 铁路=railway,railroad 铁道=railway 汽车=auto,automobile,car 邮政=postal 海关=customs
电影=film,movie,cinema 建筑=architecture 城市规划=urban planning 规划=planning 革命=revolution,revolutionary 解放=liberation
抗日战争=anti-japanese war 抗战=anti-japanese war,war of resistance 大屠杀=massacre 遇难同胞=victims 烈士=martyr 起义=uprising
奥林匹克=olympic 奥体=olympic 奥运=olympic 工业=industrial 农业=agricultural 民间=folk 工艺=craft 艺术区=art district,art zone
创意=creative,creativity 古代=ancient 现代=modern 近代=modern 当代=contemporary 自由=freedom,liberty 和平=peace
友谊=friendship 胜利=victory 幸福=happiness,happy 吉祥=auspicious 平安=peace,safety 长寿=longevity 太平=peace
和=harmony,peace,and 宁=peace,tranquility 静=quiet,tranquil
仁=benevolence 德=virtue 福=fortune,blessing 寿=longevity 喜=happiness,joy 乐=happy,joy,music 爱=love 梦=dream 心=heart
清=clear,pure,clean 明=bright,ming 净=pure 真=true 善=good,kindness 美=beautiful,beauty 香=fragrant,incense,fragrance
醉=drunken 忘=forget 留=linger,lingering,stay 听=listening,listen 望=watching,viewing,lookout 拜=worship 飞=flying,fly 来=come
流=flowing 落=falling,fallen 回=return,echo 音=sound 回音=echo 祈=pray,prayer 断=broken 残=broken,lingering
孤=solitary,lonely 独=single,solitary 隐=hidden,hiding 灵=soul,spirit,spiritual 奇=wonder,strange 秀=beautiful 锦=brocade,splendid
锦绣=splendid 仙女=fairy 鬼=ghost 鬼城=ghost city 天使=angel
行宫=temporary palace,imperial palace
窗=window 窗户=window 之窗=window 眼=eye 之眼=eye 镜=mirror 扇=fan 伞=umbrella 剑=sword 琴=zither,lute 棋=chess
书=book 画=painting 笔=brush,pen 砚=inkstone 酒=wine,liquor 酒吧=bar 美食=food,snack 小吃=snack 茶馆=teahouse 船=boat,ship
舫=boat 石舫=marble boat 车=car 索道=cable car,ropeway,cableway 缆车=cable car 电梯=elevator,lift 栈道=plank road 玻璃=glass 吊桥=suspension bridge
绿道=greenway 环=ring,round 园区=park 基地=base,research base 繁育=breeding 研究=research
野=wild 渔=fishing 农=farm 农场=farm 牧场=ranch,pasture 果园=orchard 田=field 梯田=rice terrace,terraced field
迪士尼=disney 迪斯尼=disney 乐高=legoland,lego 杜莎夫人=madame tussaud 蜡像=wax 冰雪=ice and snow 滑雪=ski 游船=cruise,boat tour
夜游=night cruise,night tour 演出=show,performance 国宝=national treasure 珍宝=treasure 财富=wealth
领事馆=consulate 租界=concession 使馆=embassy 银行=bank 海关大楼=customs house 邮局=post office 火车站=railway station 车站=station 机场=airport 站=station
步道=trail,walkway 天街=heavenly street 摩天轮=ferris wheel 入口=entrance 东门=east gate 西门=west gate 南门=south gate 北门=north gate 正门=main gate
孔=confucius 夫子=confucius 先生=mister 故里=hometown 草堂=thatched cottage,cottage 书房=study 学堂=school 祖庙=ancestral temple 宗=ancestor
孝=filial 忠=loyal 义=righteousness 武=martial 文=literature,culture 文殊=manjushri 普贤=samantabhadra 弥勒=maitreya 如来=tathagata 菩萨=bodhisattva
家=family,clan,home 网=net 师=master,teacher 总统=president,presidential 中华=china,chinese 观象台=observatory
长江=yangtze river,yangtze 黄河=yellow river 珠江=pearl river 中山=sun yat sen 毛主席=chairman mao,mao 毛泽东=mao zedong,mao
表演=performing,performance 演艺=performing art 灌溉=irrigation 工程=project,system 园艺=horticultural 世博=expo 会展=exhibition
贝壳=shell 水晶=crystal 水族=aquatic 极限=extreme 探索=discovery,exploration 梦幻=fantasy,dream 冒险=adventure 恐龙=dinosaur
魔术=magic 马戏=circus 影视=film and television 影视城=film studio,movie town 卡通=cartoon 动漫=animation 机器人=robot
大象=elephant 五羊=five ram,five goat 北极=arctic 南极=antarctic 热带=tropical 雨林=rainforest
外国=foreign 洋房=western house 领馆=consulate 会馆=guild hall 公馆=mansion,residence 大院=courtyard,compound 城堡=castle
瓮城=barbican 城楼=gate tower,tower 角楼=corner tower 戏台=opera stage,stage 牌坊=archway 廊桥=covered bridge,bridge
古城墙=ancient city wall,city wall 栈桥=pier,trestle 灯塔=lighthouse 御花园=imperial garden
眉=eyebrow 鼻=nose,trunk 瘦=slender,thin 卧=reclining,crouching 伏=crouching 迎=welcoming 映=reflecting,mirroring 印=seal,mirroring
飞来=flown,flying 观鱼=viewing fish 莺=oriole 闻=hearing 晓=dawn 晚=evening,night 曲=winding,crooked 平湖=calm lake 夕照=sunset,glow
士=scholar 状元=scholar 县衙=county yamen 衙=yamen 贡院=examination hall,imperial examination 药=medicine 医=medical,medicine
中医药=chinese medicine 盐=salt 糖=sugar 米=rice 豆=bean 啤酒=beer 葡萄=grape 苹果=apple 橘子=orange,tangerine 荔枝=lychee 椰=coconut
樱=cherry 杏=apricot 李=plum 榕=banyan 银杏=ginkgo 杜鹃=azalea,cuckoo 薰衣草=lavender 向日葵=sunflower 芦=reed 芦苇=reed 笛=flute
箫=flute 锣=gong 戏=opera 戏剧=drama,opera 木偶=puppet 皮影=shadow puppet 陶=pottery 瓷=porcelain 瓷器=porcelain 砖=brick 瓦=tile
木=wood,wooden 纸=paper 墨=ink 印刷=printing 钱币=coin,numismatic 邮票=stamp 税=tax 警察=police 交通=transport 地铁=metro 钢=steel
庄=villa,manor,village 厂=factory,plant 工厂=factory 矿=mine 煤=coal 坝=dam 堰=weir,dam 闸=sluice 水利=water conservancy,hydraulic 炮台=fort,fortress,battery
要塞=fortress,fort 关=pass 烽火台=beacon tower 营=camp 军=army 战争=war 战役=campaign,battle 政府=government 总督府=governor residence
千佛=thousand buddha 万佛=ten thousand buddha 舍利=relic 金顶=golden summit 仙人=immortal,fairy 玉皇=jade emperor 财神=god wealth
天柱=heavenly pillar 天门=heavenly gate 天坑=sinkhole 钟乳=stalactite 石笋=stone bamboo shoot 五彩=multicolored,colorful 七彩=colorful,rainbow
彩虹=rainbow 沙丘=dune 鸣沙=singing sand,echoing sand 月牙=crescent 火焰=flaming,flame 雪山=snow mountain,snowy mountain 喀斯特=karst
悬=hanging,suspended 悬空=hanging,suspended 空中=sky,air 天空=sky 海岸=coast 沙滩=beach 浴场=bathing beach,beach 海水浴场=bathing beach,beach
帆船=sailing 游艇=yacht 渔村=fishing village 渔港=fishing port 渔人=fisherman 群岛=archipelago 屿=islet,island 礁=reef 珊瑚=coral
红树林=mangrove 海狮=sea lion 鳄鱼=crocodile 白鹭=egret 海鸥=seagull 鸽=pigeon 天鹅=swan 鸳鸯=mandarin duck 化石=fossil 昆虫=insect
宝石=gem 黄金=gold 翡翠=jade 古玩=antique 青铜=bronze 青铜器=bronze 漆器=lacquer 编钟=chime bell 书法=calligraphy 碑林=stele forest,forest stele
版画=print 摄影=photography 设计=design 时尚=fashion 科幻=science fiction 航天=space,aerospace 宇宙=universe 星空=starry sky 天文=astronomical
气象=meteorological 地震=earthquake 儿童=children,child 青少年=youth 爱情=love 情人=lover 故乡=hometown 诗=poetry 词=poem 剧=drama,opera
洲头=isle,island 岛屿=island 宝塔=pagoda 双塔=twin pagoda,twin tower 三塔=three pagoda 五塔=five pagoda
影=shadow 波=wave 涛=wave,billow 雾=mist,fog 霞=glow,rosy cloud 露=dew 霜=frost 石桥=stone bridge 铁桥=iron bridge 
陕西=shaanxi 香港=hong kong 澳门=macau,macao 西藏=tibet,tibetan 内蒙古=inner mongolia 哈尔滨=harbin 新疆=xinjiang 厦门=xiamen,amoy
竹林=bamboo forest 竹海=bamboo sea 林海=sea of forest 花海=sea of flower 云海=sea of cloud 日月=sun and moon 天涯=edge of the sky 海角=cape
"""


@cache
def glosses() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Chinese word to its English translations, each as stemmed words."""
    table: dict[str, list[tuple[str, ...]]] = {}
    for entry in _entries():
        zh, _, english = entry.partition("=")
        table.setdefault(zh, []).extend(words(e) for e in english.split(","))
    for kind in lexicon.KINDS:
        for zh in kind.zh:
            if zh not in table:
                table[zh] = [words(e) for e in kind.en]
    return {zh: tuple(dict.fromkeys(e for e in english if e)) for zh, english in table.items()}


def _entries() -> list[str]:
    """Entries of the text: an entry starts at a blank before Chinese characters."""
    entries: list[str] = []
    for token in _TEXT.split():
        if "=" in token:
            entries.append(token)
        else:
            entries[-1] += f" {token}"
    return entries


@cache
def longest_gloss() -> int:
    """Length of the longest Chinese word in the table."""
    return max(map(len, glosses()))
